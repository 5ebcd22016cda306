import { randomUUID } from 'node:crypto'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { startApi } from '../../support/api.ts'
import { signIn } from '../../support/browser-session.ts'
import { newAddress } from '../../support/invitations.ts'
import { ofFile } from '../../support/of-file.ts'
import { queuedMails } from '../../support/queued-mails.ts'
import { startRealProvider } from './real-provider.ts'
import { invite, newBrowser, usersOf } from './single-sign-on-service.ts'

const api = ofFile(startApi)
const provider = ofFile(() => startRealProvider(`${api.services.config.baseUrl}/api/auth/oidc/callback`))
beforeAll(async () => {
  const { config } = api.services
  config.limits.browser = 0
  const { issuer, clientId, clientSecret } = provider
  config.oidc = { issuer, clientId, clientSecret, name: 'Example', autoJoin: undefined }
})

/** A person signs in at the provider. @returns with what it sends the browser back to the service */
async function answerOf(url: string, subject: string): Promise<URLSearchParams> {
  const back = await provider.signIn(url, subject)
  expect(back.origin + back.pathname).toBe(`${api.services.config.baseUrl}/api/auth/oidc/callback`)
  return back.searchParams
}

test('single sign-on with a provider: an invited person gets a login, also after their address has changed', async () => {
  const { teamId } = await signIn(api)
  const [subject, email] = [randomUUID(), newAddress()]
  provider.people.set(subject, { email, email_verified: true, name: 'Ada' })
  await invite(api, teamId, email)
  const browser = newBrowser(api)
  const started = await browser.send('GET', '/api/auth/oidc/start?return_to=%2Fsites%3Fa%3Db')
  const answer = await answerOf(started.location!, subject)
  expect(await browser.comeBack(answer)).toBe('/sites?a=b')
  expect(await browser.isSignedIn()).toBe(true)
  expect(await usersOf(api, teamId)).toContainEqual({ email, role: 'member', loginEmail: email })

  const other = { email: newAddress(), email_verified: false, name: 'Ada' }
  provider.people.set(subject, other)
  const again = newBrowser(api)
  expect(await again.comeBack(await answerOf(await again.start(), subject))).toBe('/')
  expect((await again.send('GET', '/api/account/identities')).body).toMatchObject([
    { issuer: provider.issuer, subject },
  ])
  const logins = await api.services
    .db`select email, name from logins where email in (${email}, ${other.email})`
  expect(logins).toEqual([{ email, name: 'Ada' }])
})

test('single sign-on with a provider: it asks again on request, and the person is told of browsers that are new', async () => {
  const { teamId } = await signIn(api)
  const [subject, email] = [randomUUID(), newAddress()]
  provider.people.set(subject, { email, email_verified: true, name: 'Ada' })
  await invite(api, teamId, email)
  const { config } = api.services
  config.mail = { url: 'smtp://127.0.0.1:1', from: 'a@example.com' }
  onTestFinished(() => {
    config.mail = undefined
  })
  const newBrowsers = async () => (await queuedMails(api, email)).map(({ subject }) => subject.split(':')[0])
  const browser = newBrowser(api)
  await browser.comeBack(await answerOf(await browser.start(), subject))
  expect(await newBrowsers()).toEqual([])
  const started = await browser.send('GET', '/api/auth/oidc/start?again=true&return_to=%2Flogin%23proven')
  expect(new URL(started.location!).searchParams.get('max_age')).toBe('0')
  expect(await browser.comeBack(await answerOf(started.location!, subject))).toBe('/login#proven')
  expect(await newBrowsers()).toEqual([])
  const other = newBrowser(api)
  await other.comeBack(await answerOf(await other.start(), subject))
  expect(await newBrowsers()).toEqual(['A new browser signed in'])
})
