import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLink } from '../../src/accounts/links.ts'
import { PAGES } from '../../src/http/pages/pages.ts'
import { FIRST_OWNER } from '../../src/teams/set-up-login.ts'
import { invitee, PASSWORD, setUp, withCookie } from '../support/log-in.ts'
import { fill, sessionOf, startVisit, type Visit } from './visit.ts'

let visit: Visit
beforeAll(async () => {
  visit = await startVisit()
})
afterAll(() => visit.close())

const get = (path: string, headers = {}) => fetch(visit.api.url + path, { redirect: 'manual', headers })

describe('pages', () => {
  test.each(PAGES)('%s allows nothing but its own script and style, and is not framed', async pattern => {
    const path = pattern.replace(':site', randomUUID())
    const answer = await get(path, { Cookie: 'analytics_session=x' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const policy = answer.headers.get('content-security-policy')!
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/)
    expect(policy).not.toMatch(/unsafe|http|\*/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    const html = await answer.text()
    expect([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address)).toEqual([
      'data:,',
      ...['style.css', 'main.js'].map(name => `${path.startsWith('/share/') ? '../' : ''}pages/${name}`),
    ])
    expect((await fetch(visit.api.url + path, { method: 'POST' })).status).toBe(405)
  })

  test('the first page leads to the one for signing in without a cookie; a slash at the end of the others away', async () => {
    const [home, slash] = [await get('/'), await get('/login/')]
    expect([home.status, home.headers.get('location')]).toEqual([302, 'login'])
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '../login'])
    expect((await get('/share/a/')).headers.get('location')).toBe('../a')
    expect((await get('/pages/style.css')).headers.get('content-type')).toBe('text/css; charset=utf-8')
    for (const name of ['none.js', 'page.html', '..%2fpages.ts', '%00']) {
      expect((await get(`/pages/${name}`)).status).toBe(404)
    }
  })

  test('the first owner sets the login up, sees the team, signs out and in again', async () => {
    const { api, origin } = visit
    const { secret, teamId } = await invitee(api, { email: FIRST_OWNER })
    const site = { domain: `${randomUUID()}.example` }
    const context = await visit.person()
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', error => complaints.push(error.message))
    page.on(
      'console',
      message => message.text().includes('Security Policy') && complaints.push(message.text()),
    )
    const email = `${randomUUID()}@example.com`

    await page.goto(`${origin}/setup#${secret}`)
    await fill(page, { email, name: 'Ada', password: 'basketball' })
    await page.waitForSelector('text=one of the most common passwords')
    await fill(page, { password: PASSWORD })
    await page.waitForSelector('text=No site yet')
    expect(page.url()).toBe(`${origin}/`)
    expect(await page.textContent('main')).toContain(`Ada (${email})`)

    const cookie = (await sessionOf(context))!
    const headers = { ...withCookie(api, cookie), 'X-Team': teamId }
    expect((await api.call('POST', '/api/sites', { headers, body: site })).status).toBe(201)
    await page.reload()
    await page.waitForSelector(`text=${site.domain}`)
    expect(await page.textContent('main')).toContain('0 visitors in 24 hours')

    await page.click('button:has-text("Sign out") >> nth=0')
    await page.waitForURL('**/login#ended')
    expect(await sessionOf(context)).toBeUndefined()
    expect((await api.call('GET', '/api/account', { headers: withCookie(api, cookie) })).status).toBe(401)
    await page.goto(`${origin}/`)
    await page.waitForURL('**/login')
    await fill(page, { email, password: 'another password' })
    await page.waitForSelector('text=is wrong')
    await fill(page, { password: PASSWORD })
    await page.waitForSelector(`text=${site.domain}`)
    expect(complaints).toEqual([])
    await context.close()
  })

  test('a login with a second factor is asked for the code', async () => {
    const { api, origin } = visit
    const { email, cookie } = await setUp(api)
    const headers = withCookie(api, cookie)
    const { body } = await api.call('POST', '/api/account/totp/secret', { headers })
    const code = (step: number) =>
      TOTP.generate({ secret: Secret.fromBase32(body.secret), timestamp: Date.now() + step * 30_000 })
    const factor = { secret: body.secret, code: code(-1), password: PASSWORD }
    expect((await api.call('POST', '/api/account/totp', { headers, body: factor })).status).toBe(200)
    const page = await (await visit.person()).newPage()
    await page.goto(`${origin}/login`)
    await fill(page, { email, password: PASSWORD })
    await page.waitForSelector('[name=code]', { state: 'visible' })
    await fill(page, { code: code(0) })
    await page.waitForSelector('text=Signed in as')
    await page.context().close()
  })

  test('devices are signed out, one and all', async () => {
    const { api, origin } = visit
    const { email, cookie } = await setUp(api)
    const page = await (await visit.person()).newPage()
    await page.goto(`${origin}/login`)
    await fill(page, { email, password: PASSWORD })
    await page.waitForSelector('text=(this one)')
    expect(await page.locator('li:has(strong)').count()).toBe(2)
    await page.click('li:has(strong):not(:has-text("(this one)")) button')
    await page.locator('li:has(strong):not(:has-text("(this one)"))').waitFor({ state: 'detached' })
    expect((await api.call('GET', '/api/account', { headers: withCookie(api, cookie) })).status).toBe(401)
    await api.call('POST', '/api/auth/login', { body: { email, password: PASSWORD } })
    await page.reload()
    await page.click('text=Sign out everywhere')
    await page.waitForURL('**/login')
    await page.context().close()
  })

  test('a link for a new password leads to signing in with it; one that does not work says so', async () => {
    const { api, origin } = visit
    const { email, loginId } = await setUp(api)
    const secret = await createLink(api.services.db, 'reset', { email: null, loginId }, new Date())
    const page = await (await visit.person()).newPage()
    await page.goto(`${origin}/setup#${secret}`)
    await page.waitForURL('**/reset#*')
    await fill(page, { password: 'another password' })
    await page.waitForURL('**/login#reset')
    await fill(page, { email, password: 'another password' })
    await page.waitForSelector('text=Signed in as')
    await page.goto(`${origin}/reset#${secret}`)
    await page.waitForSelector('text=The link does not work any more')
    await page.goto(`${origin}/reset`)
    await page.waitForSelector('text=This service sends no mail')
    await page.context().close()
  })

  test('buttons of ways that the service does not offer are not there', async () => {
    const { api, origin } = visit
    const page = await (await visit.person()).newPage()
    await page.goto(`${origin}/login`)
    await page.waitForSelector('form')
    expect(await page.locator('button, a.button').allTextContents()).toEqual(['Sign in'])
    const { config } = api.services
    const before = { oidc: config.oidc, hasPasswords: config.hasPasswords }
    Object.assign(config, { oidc: { name: 'Company <b>account</b>' }, hasPasswords: false })
    await page.goto(`${origin}/login#error=closed`)
    await page.reload()
    await page.waitForSelector('a.button')
    Object.assign(config, before)
    expect(await page.locator('button, a.button').allTextContents()).toEqual([
      'Sign in with Company <b>account</b>',
    ])
    expect(await page.textContent('[role=alert]')).toContain('ask for an invitation')
    await page.context().close()
  })

  test('with single sign-on alone, a link is used by signing in there, and its secret stands in no address', async () => {
    const { api, origin } = visit
    const { secret } = await invitee(api)
    const { config } = api.services
    const before = { oidc: config.oidc, hasPasswords: config.hasPasswords }
    Object.assign(config, { oidc: { name: 'Company account' }, hasPasswords: false })
    const page = await (await visit.person()).newPage()
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    await page.route('**/api/auth/oidc/start', route => {
      expect(route.request().postDataJSON()).toEqual({ link: secret })
      return route.fulfill({ json: { url: `${origin}/login#started` } })
    })
    await page.goto(`${origin}/setup#${secret}`)
    await page.waitForSelector('button')
    expect(await page.locator('form').count()).toBe(0)
    await page.click('text=Company account')
    await page.waitForURL('**/login#started')
    Object.assign(config, before)
    expect(requests.filter(url => url.split('#')[0]!.includes(secret))).toEqual([])
    await page.context().close()
  })

  test('works with the keyboard alone, at 360 pixels without scrolling sideways', async () => {
    const { api, origin } = visit
    const { email } = await setUp(api)
    const context = await visit.browser.newContext({ viewport: { width: 360, height: 640 } })
    const page = await context.newPage()
    await page.goto(`${origin}/login`)
    await page.waitForSelector('form')
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Signed in as')
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBe(360)
    await context.close()
  })
})
