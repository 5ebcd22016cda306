import { expect, test } from 'vitest'
import { type SignedIn, signIn } from '../../support/browser-session.ts'
import { newAddress } from '../../support/invitations.ts'
import { PASSWORD } from '../../support/log-in.ts'
import { ofFile } from '../../support/of-file.ts'
import { useApi } from '../teams/use-api.ts'
import { startScriptedProvider } from './scripted-provider.ts'
import { newBrowser } from './single-sign-on-service.ts'

let now = new Date()
const provider = ofFile(() => startScriptedProvider('analytics'))
const CLIENT = { clientId: 'analytics', clientSecret: undefined, name: 'x', autoJoin: undefined }
const api = useApi(() => ({ config: { oidc: { ...CLIENT, issuer: provider.issuer } }, now: () => now }))

const browserOf = ({ secret }: SignedIn) => newBrowser(api, { analytics_session: secret })

/** Links the login of the browser to a person at the provider. @returns where the service sends the browser */
async function link(browser: ReturnType<typeof newBrowser>, sub: string, body: object = {}) {
  const started = await browser.send('POST', '/api/account/identities/start', {
    return_to: '/account',
    ...body,
  })
  expect(started.status).toBe(200)
  return browser.comeBack(provider.answer(started.body.url, { claims: { sub, email: newAddress() } }))
}

async function signInAs(sub: string) {
  const browser = newBrowser(api)
  return browser.comeBack(provider.answer(await browser.start(), { claims: { sub } }))
}

test('single sign-on: who has linked it signs in with it, also without a verified address', async () => {
  const person = await signIn(api)
  const browser = browserOf(person)
  const sub = newAddress()
  expect(await link(browser, sub)).toBe('/account')
  // The session of the browser is renewed.
  expect([await browser.isSignedIn(), await browserOf(person).isSignedIn()]).toEqual([true, false])
  expect(await signInAs(sub)).toBe('/')
  expect((await browser.send('GET', '/api/account/identities')).body).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      issuer: provider.issuer,
      subject: sub,
      last_used_at: now.toISOString(),
      created_at: now.toISOString(),
    },
  ])
  const entries = await api.services.db`
    select action, actor, details from audit_log where team_id = ${person.teamId} order by id`
  expect(entries).toEqual([
    { action: 'single_sign_on.link', actor: person.email, details: { issuer: provider.issuer } },
    { action: 'login.success', actor: person.email, details: { method: 'single_sign_on' } },
  ])
})

test('single sign-on: the same person is linked once, and never to two logins', async () => {
  const [one, two] = [browserOf(await signIn(api)), browserOf(await signIn(api))]
  const sub = newAddress()
  expect(await link(one, sub)).toBe('/account')
  expect(await link(one, sub)).toBe('/account')
  expect((await one.send('GET', '/api/account/identities')).body).toHaveLength(1)
  expect(await link(two, sub)).toBe('/login#error=linked_elsewhere')
  expect((await two.send('GET', '/api/account/identities')).body).toEqual([])
})

test('single sign-on: nothing is linked when the browser is signed out or signed in anew meanwhile', async () => {
  const [person, other] = [await signIn(api), await signIn(api)]
  for (const session of [undefined, other.secret]) {
    const browser = browserOf(person)
    const started = await browser.send('POST', '/api/account/identities/start', {})
    if (session === undefined) browser.jar.delete('analytics_session')
    else browser.jar.set('analytics_session', session)
    const sub = newAddress()
    const answer = provider.answer(started.body.url, { claims: { sub } })
    expect(await browser.comeBack(answer)).toBe('/login#error=session_ended')
    expect(await signInAs(sub)).toBe('/login#error=closed')
  }
})

test('single sign-on: linking needs the password, or without a password a sign-in of the last 15 minutes', async () => {
  const path = '/api/account/identities/start'
  const browser = browserOf(await signIn(api, { password: PASSWORD }))
  expect((await browser.send('POST', path, {})).status).toBe(403)
  expect((await browser.send('POST', path, { password: 'wrong' })).status).toBe(403)
  expect(await link(browser, newAddress(), { password: PASSWORD })).toBe('/account')
  const without = browserOf(await signIn(api))
  now = new Date(now.getTime() + 16 * 60_000)
  expect((await without.send('POST', path, {})).status).toBe(403)
})

const idOf = async (browser: ReturnType<typeof newBrowser>) =>
  (await browser.send('GET', '/api/account/identities')).body[0].id as string

test('single sign-on: an ended link signs in no more', async () => {
  const person = await signIn(api, { password: PASSWORD })
  const browser = browserOf(person)
  const sub = newAddress()
  await link(browser, sub, { password: PASSWORD })
  const path = `/api/account/identities/${await idOf(browser)}`
  expect((await browser.send('DELETE', path, {})).status).toBe(403)
  expect((await browser.send('DELETE', path, { password: PASSWORD })).status).toBe(204)
  expect(await signInAs(sub)).toBe('/login#error=closed')
  expect((await browser.send('DELETE', path, { password: PASSWORD })).status).toBe(404)
  const [entry] = await api.services.db`
    select details from audit_log where team_id = ${person.teamId} and action = 'single_sign_on.unlink'`
  expect(entry).toEqual({ details: { issuer: provider.issuer } })
})

test('single sign-on: the last way to sign in is not ended, also where passwords do not count', async () => {
  const { config } = api.services
  const [without, withPassword] = [await signIn(api), await signIn(api, { password: PASSWORD })]
  for (const [person, password] of [
    [without, undefined],
    [withPassword, PASSWORD],
  ] as const) {
    const browser = browserOf(person)
    await link(browser, newAddress(), { password })
    config.hasPasswords = password === undefined
    const path = `/api/account/identities/${await idOf(browser)}`
    const answer = await browser.send('DELETE', path, { password })
    config.hasPasswords = true
    expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining('last way')])
  }
})
