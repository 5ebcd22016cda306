import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, startApi } from '../support/api.ts'
import { signIn } from '../support/browser-session.ts'
import { startShell } from '../tracker/chromium.ts'

let api: Api
let browser: Browser
let origin: string
beforeAll(async () => {
  ;[api, browser] = await Promise.all([startApi(), startShell()])
  origin = api.url.replace('127.0.0.1', 'localhost')
  api.services.config.baseUrl = origin
})
afterAll(() => Promise.all([api.close(), browser.close()]))

/** An empty page of the service, on a device whose authenticator verifies the person. */
async function openPage(session?: string) {
  const context = await browser.newContext()
  if (session) await context.addCookies([{ name: 'analytics_session', value: session, url: origin }])
  const page = await context.newPage()
  await page.route('**/empty', route => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(`${origin}/empty`)
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { context, page, cdp, authenticatorId }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into it
type Answered = { status: number; body: any; mine?: number }

const POST = `const post = (path, body) =>
  fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })`

/** What the page of an account does to add a passkey. */
const addPasskey = (page: Page) =>
  page.evaluate<Answered>(`(async () => {
    ${POST}
    const options = await (await post('/api/account/passkeys/options', {})).json()
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const credential = await navigator.credentials.create({ publicKey })
    const answer = await post('/api/account/passkeys', { name: 'Laptop', credential: credential.toJSON() })
    return { status: answer.status, body: await answer.json() }
  })()`)

/** What the page for signing in does. */
const signInWithPasskey = (page: Page) =>
  page.evaluate<Answered>(`(async () => {
    ${POST}
    const options = await (await post('/api/auth/passkey/options', {})).json()
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = await navigator.credentials.get({ publicKey })
    const answer = await post('/api/auth/passkey', { credential: credential.toJSON() })
    const mine = await fetch('/api/account/passkeys')
    return { status: answer.status, body: await answer.json(), mine: mine.status }
  })()`)

test('passkeys in a browser: a person adds one, and signs in with it and nothing else, again and again', async () => {
  const person = await signIn(api)
  const { context, page, cdp, authenticatorId } = await openPage(person.secret)
  const added = await addPasskey(page)
  expect(added).toMatchObject({ status: 201, body: { name: 'Laptop', last_used_at: null } })
  await context.clearCookies()
  for (let i = 0; i < 2; i++) {
    expect(await signInWithPasskey(page)).toMatchObject({
      status: 200,
      body: { id: person.loginId, passkeys: 1 },
      mine: 200,
    })
  }
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: 'localhost' }])
  expect(Buffer.from(credentials[0]!.credentialId, 'base64').toString('base64url')).toBe(added.body.id)
  await context.close()
})
