import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { signIn } from '../support/browser-session.ts'
import { type RealProvider, startRealProvider } from './real-provider.ts'
import { invite, newAddress, newBrowser, usersOf } from './single-sign-on-service.ts'

let api: Api
let provider: RealProvider
beforeAll(async () => {
  api = await startApi()
  const { config } = api.services
  config.limits.browser = 0
  provider = await startRealProvider(`${config.baseUrl}/api/auth/oidc/callback`)
  const { issuer, clientId, clientSecret } = provider
  config.oidc = { issuer, clientId, clientSecret, name: 'Example', autoJoin: undefined }
})
afterAll(async () => {
  await api.close()
  await provider.close()
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
