import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createLink } from '../../src/access/accounts/links.ts'
import { FIRST_OWNER } from '../../src/access/teams/set-up-login.ts'
import { startApi } from '../support/api.ts'
import { invitee, PASSWORD, setUp, withCookie } from '../support/log-in.ts'
import { startMailServer } from '../support/mail-server.ts'
import { ofFile } from '../support/of-file.ts'
import { startPatientProxy } from '../tracker/patient-proxy.ts'
import { signedInPage } from './signed-in-page.ts'
import { complaintsOf, fill, newPage, openWhole, sessionOf, setConfig, startVisit } from './visit.ts'

const visit = ofFile(startVisit)

/** A page that has nothing of its own to wait for: the person is in. */
const signedIn = (page: Page) => page.waitForURL(url => url.pathname === '/' && url.hash === '')

test('sign-in: the first owner sets the login up, signs out and in again', async () => {
  const { api, origin } = visit
  const { secret } = await invitee(api, { email: FIRST_OWNER })
  const page = await newPage(visit)
  const context = page.context()
  const complaints = complaintsOf(page)
  const email = `${randomUUID()}@example.com`

  await openWhole(page, `${origin}/setup#${secret}`)
  await fill(page, { email, name: 'Ada', password: 'basketball' })
  await page.waitForSelector('[aria-invalid="true"][name=password]')
  expect(await page.textContent('form [role=alert]')).toBe(
    'Is one of the most common passwords: choose another',
  )
  await fill(page, { password: PASSWORD })
  await signedIn(page)
  const cookie = (await sessionOf(context))!
  const account = () => api.call('GET', '/api/account', { headers: withCookie(api, cookie) })
  expect((await account()).body).toMatchObject({ email, name: 'Ada' })

  await openWhole(page, `${origin}/account`)
  await page.click('text=Sign out')
  await page.waitForURL('**/login#ended')
  await page.waitForSelector('text=You are signed out')
  expect(await sessionOf(context)).toBeUndefined()
  expect((await account()).status).toBe(401)
  await openWhole(page, `${origin}/`)
  await page.waitForURL('**/login')
  await fill(page, { email, password: 'another password' })
  await page.waitForSelector('text=is wrong')
  await fill(page, { password: PASSWORD })
  await signedIn(page)
  expect(complaints).toEqual([])
})

test('sign-in: a page that needs a login leads back to where the person wanted to go, and only within the service', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { email } = await setUp(api)
  const page = await newPage(visit)
  const context = page.context()
  await openWhole(page, `${origin}/account/devices?x=1`)
  await page.waitForURL(`**/login?return_to=${encodeURIComponent('/account/devices?x=1')}`)
  await fill(page, { email, password: PASSWORD })
  await page.waitForURL(`${origin}/account/devices?x=1`)
  const other = await context.newPage()
  await openWhole(other, `${origin}/login?return_to=${encodeURIComponent('//evil.example')}`)
  await fill(other, { email, password: PASSWORD })
  await signedIn(other)
  expect(new URL(other.url()).origin).toBe(origin)
})

test('sign-in: a login with a second factor is asked for the code', { tags: ['full'] }, async () => {
  const { api, origin } = visit
  const { email, cookie } = await setUp(api)
  const headers = withCookie(api, cookie)
  const { body } = await api.call('POST', '/api/account/totp/secret', { headers })
  const code = (step: number) =>
    TOTP.generate({ secret: Secret.fromBase32(body.secret), timestamp: Date.now() + step * 30_000 })
  const factor = { secret: body.secret, code: code(-1), password: PASSWORD }
  expect((await api.call('POST', '/api/account/totp', { headers, body: factor })).status).toBe(200)
  const page = await newPage(visit)
  await openWhole(page, `${origin}/login`)
  await fill(page, { email, password: PASSWORD })
  await page.waitForSelector('[name=code]:focus')
  await fill(page, { code: '000000' })
  await page.waitForSelector('text=is wrong')
  await fill(page, { code: code(0) })
  await signedIn(page)
})

test('sign-in: a link for a new password leads to signing in with it; one that does not work says so', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { email, loginId } = await setUp(api)
  const secret = await createLink(api.services.db, 'reset', { email: null, loginId }, new Date())
  const page = await newPage(visit)
  await openWhole(page, `${origin}/setup#${secret}`)
  await page.waitForURL('**/reset#*')
  await fill(page, { password: 'another password' })
  await page.waitForURL('**/login#reset')
  await fill(page, { email, password: 'another password' })
  await signedIn(page)
  await openWhole(page, `${origin}/reset#${secret}`)
  await page.waitForSelector('text=does not work any more')
  await openWhole(page, `${origin}/reset`)
  await page.waitForSelector('text=This service sends no mail')
})

test('sign-in: a link for a new password comes by mail, and the answer is the same for any address', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { email } = await setUp(api)
  const server = await startMailServer()
  setConfig(visit, { mail: server.mail })
  const page = await newPage(visit)
  await openWhole(page, `${origin}/login`)
  await page.click('text=Forgot your password?')
  for (const address of [email, `${randomUUID()}@example.com`]) {
    await openWhole(page, `${origin}/reset`)
    await fill(page, { email: address })
    await page.waitForSelector(`text=If a login has the address ${address}, a link is on its way`)
  }
  await expect.poll(() => server.mails.length).toBe(1)
  const [link] = /http\S+\/reset#\S+/.exec(server.mails[0]!.text!)!
  await openWhole(page, link)
  await page.waitForSelector('h1:has-text("Choose a new password")')
  expect(await page.inputValue('[name=email]')).toBe(email)
  await server.close()
})

test('sign-in: a link of the operator leads back into a login, with a password or single sign-on', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { loginId } = await setUp(api)
  const secret = await createLink(api.services.db, 'recover', { email: null, loginId }, new Date())
  const { oidc } = api.services.config
  setConfig(visit, { oidc: { name: 'Company account' } })
  const page = await newPage(visit)
  await openWhole(page, `${origin}/reset#${secret}`)
  await page.waitForSelector('h1:has-text("Get back into your login")')
  await page.waitForSelector('text=Continue with Company account')
  setConfig(visit, { oidc })
  await fill(page, { password: 'another password' })
  await page.waitForURL('**/login#reset')
})

test('sign-in: buttons of ways that the service does not offer are not there', {
  tags: ['full'],
}, async () => {
  const { origin } = visit
  const page = await newPage(visit)
  await openWhole(page, `${origin}/login`)
  await page.waitForSelector('form')
  const ways = page.locator('main button:not([aria-label]), main a')
  expect(await ways.allTextContents()).toEqual(['Sign in'])
  setConfig(visit, { oidc: { name: 'Company <b>account</b>' }, hasPasswords: false })
  await openWhole(page, `${origin}/login#error=closed`)
  await page.reload()
  await page.waitForSelector('main a')
  expect(await ways.allTextContents()).toEqual(['Sign in with Company <b>account</b>'])
  expect(await page.textContent('[role=alert]')).toContain('ask for an invitation')
  // Another reason in the same tab changes only what stands after `#`.
  await page.evaluate('location.hash = "ended"')
  await page.waitForSelector('text=You are signed out')
})

test('sign-in: with single sign-on alone, a link is used by signing in there, and its secret stands in no address', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { secret } = await invitee(api)
  setConfig(visit, { oidc: { name: 'Company account' }, hasPasswords: false })
  const page = await newPage(visit)
  const requests: string[] = []
  page.on('request', request => requests.push(request.url()))
  await page.route('**/trpc/identities.start', route => {
    expect(route.request().postDataJSON()).toEqual({ link: secret })
    return route.fulfill({ json: { result: { data: { url: `${origin}/login#started` } } } })
  })
  await openWhole(page, `${origin}/setup#${secret}`)
  await page.waitForSelector('text=Company account')
  expect(await page.locator('form').count()).toBe(0)
  await page.click('text=Company account')
  await page.waitForURL('**/login#started')
  expect(requests.filter(url => url.split('#')[0]!.includes(secret))).toEqual([])
})

test('sign-in: below a path of a proxy, people sign in, go from page to page, and sign out', {
  tags: ['full'],
}, async () => {
  const path = '/tools/analytics'
  const proxy = await startPatientProxy('', path)
  const origin = `http://analytics.example:${proxy.port}`
  const api = await startApi({ config: { baseUrl: origin + path } })
  proxy.target = api.url
  const { email } = await setUp(api)
  const page = await newPage(visit)
  const complaints = complaintsOf(page)
  const missing: string[] = []
  page.on('response', answer => {
    if (answer.status() === 404) missing.push(answer.url())
  })
  await openWhole(page, `${origin}${path}/account/devices`)
  await page.waitForURL(`${origin}${path}/login?return_to=*`)
  await fill(page, { email, password: PASSWORD })
  await page.waitForURL(`${origin}${path}/account/devices`)
  await page.click('header >> text=Team')
  await page.waitForURL(`${origin}${path}/team`)
  await page.waitForSelector('main tbody tr')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForSelector('main:focus')
  expect(page.url()).toBe(`${origin}${path}/team`)
  await page.click('text=Sign out')
  await page.waitForURL(`${origin}${path}/login#ended`)
  expect([complaints, missing]).toEqual([[], []])
  await api.close()
})

test('sign-in: a server that does not answer is said, and tried again; then the keyboard is enough', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { email } = await setUp(api)
  const page = await newPage(visit, { width: 360, height: 640 })
  const methods = '**/trpc/auth.methods*'
  await page.route(methods, route => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }))
  await openWhole(page, `${origin}/login`)
  await page.waitForSelector('text=The server does not answer')
  await page.unroute(methods)
  await page.click('text=Try again')
  await page.waitForSelector('form')
  await page.reload()
  await page.waitForSelector('[name=email]:focus')
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await signedIn(page)
})

test('sign-in: a session that ends asks for the password over the page; the form keeps its text and is sent', async () => {
  const { api, origin } = visit
  const { page, email, cookie, complaints } = await signedInPage(visit)
  await openWhole(page, `${origin}/team/settings`)
  await page.click('role=button[name="New team"]')
  await page.fill('[role=dialog] [name=name]', 'Kept')
  expect((await api.call('POST', '/api/auth/logout', { headers: withCookie(api, cookie) })).status).toBe(204)
  await page.click('[role=dialog] button[type=submit]')
  const dialog = page.locator('[role=dialog]:has-text("You were signed out")')
  await dialog.waitFor()
  const send = async (password: string) => {
    await dialog.locator('[name=email]').fill(email)
    await dialog.locator('[name=password]').fill(password)
    await dialog.locator('button[type=submit]').click()
  }
  await send('another password')
  await dialog.locator('text=is wrong').waitFor()
  expect(await page.inputValue('[role=dialog] form:has([name=name]) [name=name]')).toBe('Kept')
  await send(PASSWORD)
  await dialog.waitFor({ state: 'detached' })
  await page.waitForSelector('h1 >> text=Kept')
  expect(complaints).toEqual([])
})
