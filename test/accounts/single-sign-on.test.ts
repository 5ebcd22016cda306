import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { signIn } from '../support/browser-session.ts'
import { type RealPerson, type RealProvider, startRealProvider } from './real-provider.ts'
import {
  invite,
  newAddress,
  newBrowser,
  newLink,
  type TestBrowser,
  usersOf,
} from './single-sign-on-service.ts'

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

function newPerson(details: Partial<RealPerson> = {}) {
  const subject = randomUUID()
  provider.people.set(subject, { email: newAddress(), email_verified: true, name: 'Ada', ...details })
  return { subject, details: provider.people.get(subject)! }
}

/** Signs in from the service to the provider and back. @returns where the service sends the browser */
async function signInAt(
  browser: TestBrowser,
  { subject }: { subject: string },
  options: { link?: string; return_to?: string } = {},
): Promise<string> {
  const back = await provider.signIn(await browser.start(options), subject)
  expect(back.origin + back.pathname).toBe(`${api.services.config.baseUrl}/api/auth/oidc/callback`)
  return browser.comeBack(back.searchParams)
}

test('single sign-on with a provider: an invited person gets a login, also after their address has changed', async () => {
  const { teamId } = await signIn(api)
  const person = newPerson()
  const { email } = person.details
  await invite(api, teamId, email)
  const browser = newBrowser(api)
  expect(await signInAt(browser, person, { return_to: '/sites' })).toBe('/sites')
  expect(await browser.isSignedIn()).toBe(true)
  expect(await usersOf(api, teamId)).toContainEqual({ email, role: 'member', loginEmail: email })

  person.details.email = newAddress()
  person.details.email_verified = false
  const again = newBrowser(api)
  expect(await signInAt(again, person)).toBe('/')
  expect((await again.send('GET', '/api/account/identities')).body).toEqual([
    expect.objectContaining({ issuer: provider.issuer, subject: person.subject }),
  ])
  const logins = await api.services
    .db`select email, name from logins where email in (${email}, ${person.details.email})`
  expect(logins).toEqual([{ email, name: 'Ada' }])
})

test('single sign-on with a provider: a plain link leads there and back', async () => {
  const { teamId } = await signIn(api)
  const person = newPerson()
  await invite(api, teamId, person.details.email)
  const browser = newBrowser(api)
  const started = await browser.send('GET', '/api/auth/oidc/start?return_to=%2Fsites%3Fa%3Db')
  const back = await provider.signIn(started.location!, person.subject)
  expect(await browser.comeBack(back.searchParams)).toBe('/sites?a=b')
})

test('single sign-on with a provider: everybody joins the team of the settings', async () => {
  const { teamId } = await signIn(api)
  const oidc = api.services.config.oidc!
  oidc.autoJoin = { team: teamId, role: 'viewer' }
  const [verified, unverified] = [newPerson(), newPerson({ email_verified: false })]
  expect(await signInAt(newBrowser(api), verified)).toBe('/')
  expect(await signInAt(newBrowser(api), unverified)).toBe('/login#error=unverified_email')
  oidc.autoJoin = undefined
  const { email } = verified.details
  expect((await usersOf(api, teamId)).slice(1)).toEqual([{ email, role: 'viewer', loginEmail: email }])
})

test('single sign-on with a provider: the link for setting up leads to its user', async () => {
  const { teamId } = await signIn(api)
  const email = newAddress()
  await api.services.db`insert into users (team_id, email, role) values (${teamId}, ${email}, 'admin')`
  const link = await newLink(api, { email }, { purpose: 'setup' })
  const person = newPerson({ email_verified: false })
  expect(await signInAt(newBrowser(api), person, { link })).toBe('/')
  expect((await usersOf(api, teamId)).slice(1)).toEqual([{ email, role: 'admin', loginEmail: email }])
})

test('single sign-on with a provider: a signed-in person links their login', async () => {
  const owner = await signIn(api)
  const browser = newBrowser(api, { analytics_session: owner.secret })
  const started = await browser.send('POST', '/api/account/identities/start', { return_to: '/account' })
  const person = newPerson({ email_verified: false })
  const back = await provider.signIn(started.body.url, person.subject)
  expect(await browser.comeBack(back.searchParams)).toBe('/account')
  expect(await signInAt(newBrowser(api), person)).toBe('/')
})

test('single sign-on with a provider: who is not invited is refused', async () => {
  const browser = newBrowser(api)
  expect(await signInAt(browser, newPerson())).toBe('/login#error=closed')
  expect(await browser.isSignedIn()).toBe(false)
})

test('single sign-on with a provider: an answer works once, and only in the browser that asked', async () => {
  const { teamId } = await signIn(api)
  const person = newPerson()
  await invite(api, teamId, person.details.email)
  const [browser, other] = [newBrowser(api), newBrowser(api)]
  const back = await provider.signIn(await browser.start(), person.subject)
  await other.start()
  expect(await other.comeBack(back.searchParams)).toBe('/login#error=invalid')
  expect(await browser.comeBack(back.searchParams)).toBe('/')
  expect(await browser.comeBack(back.searchParams)).toBe('/login#error=expired')
})
