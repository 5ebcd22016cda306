import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { PASSWORD, withCookie } from '../support/log-in.ts'
import { ofFile } from '../support/of-file.ts'
import { expectFit } from './audit-page.ts'
import { TOO_SLOW } from './seeded-site.ts'
import { dialogGone, fillDialog, signedInPage } from './signed-in-page.ts'
import { fill, openWhole, sessionOf, setConfig, startVisit } from './visit.ts'

const visit = ofFile(startVisit)

test('profile: the name is saved, another e-mail address only with the password', {
  tags: ['full'],
}, async () => {
  const { page, email, ask, complaints } = await signedInPage(visit)
  await openWhole(page, `${visit.origin}/account`)
  expect(await page.inputValue('[name=email]')).toBe(email)
  await fill(page, { name: 'Ada Lovelace' })
  await page.waitForSelector('text=Saved.')
  expect((await ask('GET', '/api/account')).body).toMatchObject({ name: 'Ada Lovelace', email })
  const moved = `${randomUUID()}@example.com`
  await fill(page, { email: moved, password: 'not the password' })
  await page.waitForSelector('text=The password is wrong')
  await fill(page, { password: PASSWORD })
  await page.waitForSelector('text=Saved.')
  expect((await ask('GET', '/api/account')).body.email).toBe(moved)
  const { email: taken } = await signedInPage(visit)
  await fill(page, { email: taken, password: PASSWORD })
  await page.waitForSelector('[name=email][aria-invalid]:focus')
  expect(await page.locator('[role=alert]').allTextContents()).toEqual(['Belongs to another login'])
  expect(complaints).toEqual([])
})

test('password: it is changed with the one before, and other devices are signed out', {
  tags: ['full'],
}, async () => {
  const { page, email, ask } = await signedInPage(visit)
  const other = await visit.api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } })
  expect(other.status).toBe(200)
  await openWhole(page, `${visit.origin}/account/security`)
  await fill(page, { current_password: PASSWORD, password: 'basketball' })
  await page.waitForSelector('text=one of the most common passwords')
  await fill(page, { password: 'another long password' })
  await page.waitForSelector('text=The password is changed')
  expect(await page.inputValue('[name=password]')).toBe('')
  expect((await ask('GET', '/api/account/sessions')).body).toHaveLength(1)
  const body = { email, password: 'another long password' }
  expect((await visit.api.call('POST', '/api/auth/login', { body })).status).toBe(200)
})

test('password: a login without one adds it, within minutes of signing in', { tags: ['full'] }, async () => {
  const { page, context } = await visit.member()
  await openWhole(page, `${visit.origin}/account/security`)
  await page.waitForSelector('text=You have no password here')
  expect(await page.locator('[name=current_password]').count()).toBe(0)
  await fill(page, { password: PASSWORD })
  await page.waitForSelector('text=The password is changed')
  const headers = withCookie(visit.api, (await sessionOf(context))!)
  expect((await visit.api.call('GET', '/api/account', { headers })).body.has_password).toBe(true)
})

test('second factor: an app is set up, its recovery codes are shown once and renewed, and it is removed', {
  tags: ['full'],
}, async () => {
  const { page, ask, complaints } = await signedInPage(visit)
  await openWhole(page, `${visit.origin}/account/security`)
  await page.click('text=Set up an authenticator app')
  await page.waitForSelector('svg[role=img] path')
  await expectFit(page)
  const uri = (await page.getAttribute('[role=dialog] a[href^="otpauth:"]', 'href'))!
  const secret = new URL(uri).searchParams.get('secret')!
  expect((await page.textContent('[role=dialog] code'))!.replaceAll(' ', '')).toBe(secret)
  await fillDialog(page, { code: '000000', password: PASSWORD })
  await page.waitForSelector('[name=code][aria-invalid]')
  await fillDialog(page, { code: TOTP.generate({ secret: Secret.fromBase32(secret) }) })
  const codes = page.locator('[role=dialog] ul[aria-label="Recovery codes"] li')
  await codes.first().waitFor()
  const shown = await codes.allTextContents()
  expect(shown).toHaveLength(10)
  const file = await page.getAttribute('[role=dialog] a[download]', 'href')
  expect(decodeURIComponent(file!)).toContain(`${shown.join('\n')}\n`)
  await page.click('text=I have kept them')
  await page.waitForSelector('text=10 recovery codes are left.')
  expect((await ask('GET', '/api/account')).body).toMatchObject({ has_totp: true, recovery_codes: 10 })

  await page.click('text=Make new recovery codes')
  await fillDialog(page, { password: 'wrong password' })
  await page.waitForSelector('[role=dialog] >> text=The password is wrong')
  await fillDialog(page, { password: PASSWORD })
  await codes.first().waitFor()
  expect(await codes.allTextContents()).not.toEqual(shown)
  await page.keyboard.press('Escape')
  await dialogGone(page)

  await page.click('text=Remove the second factor')
  await fillDialog(page, { password: PASSWORD })
  await page.waitForSelector('text=Set up an authenticator app')
  expect((await ask('GET', '/api/account')).body.has_totp).toBe(false)
  expect(complaints).toEqual([])
})

test('passkeys: one is added, signs in, and is removed', async () => {
  const origin = visit.origin.replace('analytics.example', 'localhost')
  const { page, cookie } = await signedInPage(visit)
  const context = page.context()
  await openWhole(page, `${visit.origin}/account/security`)
  await page.waitForSelector('text=they need https and a host name')
  setConfig(visit, { baseUrl: origin })
  await context.addCookies([{ name: 'analytics_session', value: cookie, url: origin }])
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true } as const
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  })
  await openWhole(page, `${origin}/account/security`)
  await page.click('text=Add a passkey')
  await fillDialog(page, { name: 'Laptop', password: PASSWORD })
  await dialogGone(page)
  await page.waitForSelector('text=Never used')
  await page.click('text=Sign out')
  await page.waitForURL('**/login#ended')
  await page.click('text=Use a passkey')
  await page.waitForURL(`${origin}/`)
  await openWhole(page, `${origin}/account/security`, true)
  await page.click('[aria-label="Remove: Laptop"]')
  await fillDialog(page, { password: PASSWORD })
  await page.waitForSelector('[aria-label="Remove: Laptop"]', { state: 'detached' })
  await openWhole(page, `${origin}/login`)
  await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  await page.evaluate('navigator.credentials.get = () => Promise.reject(new Error("stopped"))')
  await page.click('text=Use a passkey')
  await page.waitForSelector('text=The passkey was not used')
})

test('single sign-on: the login is linked at the organisation, and the link is removed', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { page, loginId, ask } = await signedInPage(visit)
  const { oidc } = api.services.config
  setConfig(visit, { oidc: { name: 'Company', issuer: 'https://login.example' }, hasPasswords: false })
  await openWhole(page, `${origin}/account/security`)
  await page.click('text=Link Company')
  await page.waitForSelector('[role=dialog] >> text=15 minutes after you have signed in')
  expect(await page.locator('h2').allTextContents()).toEqual(['Passkeys', 'Single sign-on', 'Link Company'])
  setConfig(visit, { hasPasswords: true })
  await page.route('**/trpc/identities.link', route => {
    expect(route.request().postDataJSON()).toEqual({ password: PASSWORD, return_to: '/account/security' })
    return route.fulfill({ json: { result: { data: { url: `${origin}/account/security?linked` } } } })
  })
  await openWhole(page, `${origin}/account/security`)
  await page.click('text=Link Company')
  await fillDialog(page, { password: PASSWORD })
  await page.waitForURL('**/account/security?linked')
  await api.services.db`
    insert into oidc_identities (issuer, subject, login_id) values ('https://login.example', 'ada-1', ${loginId})`
  await page.reload()
  await page.waitForSelector('text=login.example')
  setConfig(visit, { oidc })
  await page.click('[aria-label="Remove: ada-1"]')
  await fillDialog(page, { password: PASSWORD })
  await page.waitForSelector('[aria-label="Remove: ada-1"]', { state: 'detached' })
  expect((await ask('GET', '/api/account/identities')).body).toEqual([])
})

test('devices: a list that cannot be read is read again; they are signed out, one and all', {
  tags: ['full'],
}, async () => {
  const { api, origin } = visit
  const { page, email, ask } = await signedInPage(visit)
  const other = await api.call('POST', '/api/auth/login', {
    body: { email, password: PASSWORD },
    headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
  })
  await page.route('**/trpc/account.sessions*', route => route.fulfill(TOO_SLOW))
  await openWhole(page, `${origin}/account/devices`)
  await page.waitForSelector('[role=alert]')
  await page.unroute('**/trpc/account.sessions*')
  await page.click('text=Try again')
  await page.waitForSelector('li:has-text("This one")')
  expect(await page.locator('main li').count()).toBe(2)
  await page.click('[aria-label="Sign out: Firefox on Linux"]')
  await page.locator('main li').nth(1).waitFor({ state: 'detached' })
  expect((await ask('GET', '/api/account/sessions')).body).toHaveLength(1)
  expect(other.status).toBe(200)
  await page.click('main >> text=Sign out everywhere')
  await fillDialog(page)
  await page.waitForURL('**/login#ended')
  expect((await ask('GET', '/api/account')).status).toBe(401)
})

test('display: language and theme are those of the browser until others are chosen, and stay', {
  tags: ['full'],
}, async () => {
  const { page } = await visit.member({ theme: 'light' })
  await openWhole(page, `${visit.origin}/account/display`)
  await page.click('text=Dark')
  await page.click('text=Deutsch')
  await page.waitForSelector('h1:has-text("Ihr Konto")')
  expect(await page.getAttribute('html', 'lang')).toBe('de')
  expect(await page.getAttribute('html', 'data-theme')).toBe('dark')
  expect(await page.getAttribute('button:has-text("Dunkel")', 'aria-pressed')).toBe('true')
  await page.click('text=Wie das System')
  expect(await page.getAttribute('html', 'data-theme')).toBeNull()
})

test('teams: one is made, opened and left; the last owner stays', { tags: ['full'] }, async () => {
  const { page, login } = await visit.member()
  const names = async () =>
    (await visit.api.call('GET', '/api/teams', { headers: login.headers })).body.map(
      ({ name }: { name: string }) => name,
    )
  await openWhole(page, `${visit.origin}/account/teams`)
  await page.click('text=New team')
  await fillDialog(page, { name: 'Side project' })
  await page.waitForURL('**/team')
  await page.waitForSelector('h1:has-text("Side project")')
  expect(await names()).toEqual(['Test', 'Side project'])
  await visit.api.services.db`
    insert into users (team_id, email, role, login_id, created_at)
    select team_id, 'other@example.com', 'owner', null, now() from users where id = ${login.userId}`
  await openWhole(page, `${visit.origin}/account/teams`)
  await page.click('[aria-label="Leave: Side project"]')
  await fillDialog(page)
  await page.waitForSelector('[role=dialog] [role=alert]')
  expect(await names()).toEqual(['Test', 'Side project'])
})
