import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PAGE_PATHS } from '../../src/http/web/page-paths.ts'
import { SITE_PAGES } from '../../src/web/app/site/pages-of-site.ts'
import { signIn } from '../support/browser-session.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import { complaintsOf, type Member, sessionOf, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')

let visit: Visit
let member: Member
let site: SeededSite

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  site = await seededSite(visit, member)
  await site.store([
    { at: NOW.getTime() - 60_000, visitor: randomUUID(), fields: { url: '/pricing', title: 'Pricing' } },
  ])
})
afterAll(() => visit.close())

const crashed = (page: Page) => page.getByText('This did not work').isVisible()
const showsPages = (page: Page) => page.waitForSelector('section[aria-label="Pages"] ol li')

describe('wrong values in an address', () => {
  const WRONG = [
    'range=__proto__',
    'from=2026-99-99&to=2026-99-99',
    'compare=custom&compare_from=x&compare_to=y',
    '__proto__[is]=x&constructor=y&toString=z&channel=',
    'page=1e308&metric=constructor&tab=constructor&list=__proto__&sort=__proto__&by=constructor',
  ]
  test.each(SITE_PAGES.map(({ path }) => path))('do not break /%s', async path => {
    const page = await member.context.newPage()
    const complaints = complaintsOf(page)
    for (const query of WRONG) {
      await page.goto(`${visit.origin}/sites/${site.id}${path && `/${path}`}?${query}`)
      await page.waitForSelector('main h1, main h2, main section', { state: 'attached' })
      expect(await crashed(page), query).toBe(false)
    }
    expect(complaints).toEqual([])
    await page.close()
  })

  test('names that every object has are no filters and no values', async () => {
    const { page } = member
    await page.goto(
      `${visit.origin}/sites/${site.id}?constructor=x&__proto__[is]=y&channel[is_not]=constructor`,
    )
    await showsPages(page)
    const bar = (await page.textContent('section[aria-label="Filters"]'))!
    expect(bar).toMatch(/Channel is not\s*constructor/)
    expect(bar).not.toMatch(/function|undefined/)
  })

  test.each(['%25', '%25E0', '%E0', '%2525E0%25'])('the site %s does not exist', async key => {
    const { page } = member
    await page.goto(`${visit.origin}/sites/${key}`)
    await page.waitForSelector('h1:has-text("This page does not exist")')
    const answer = await fetch(`${visit.api.url}/sites/${key}`)
    // Programs read errors as JSON.
    if (answer.status >= 400) expect(answer.headers.get('content-type')).toContain('json')
  })

  test('thousands of parameters do not stop the page', async () => {
    const { page } = member
    const many = Array.from({ length: 1_500 }, (_, index) => `a${index}`).join('&')
    await page.goto(`${visit.origin}/sites/${site.id}?${many}`)
    await showsPages(page)
  })
})

describe('who is signed in', () => {
  test('Back after signing out shows nothing of the person', async () => {
    const { page } = await visit.member()
    await page.goto(`${visit.origin}/account`)
    await page.waitForSelector('h1')
    await page.click('role=button[name="Sign out"]')
    await page.waitForURL(`${visit.origin}/login#ended`)
    await page.waitForSelector('form')
    await page.goBack({ waitUntil: 'commit' }).catch(() => null)
    await page.waitForURL(`${visit.origin}/login?return_to=*`)
    await page.waitForSelector('form')
    expect(await page.$('nav[aria-label="General"]')).toBeNull()
  })

  test('another person who signs in in another tab sees nothing of the one before', async () => {
    const { page, context } = await visit.member()
    const other = await signIn(visit.api, { name: 'Grace' })
    await page.goto(`${visit.origin}/account/teams`)
    await page.waitForSelector('h1')
    await page.evaluate(() => Object.assign(globalThis, { before: true }))
    await context.addCookies([{ name: 'analytics_session', value: other.secret, url: visit.origin }])
    // Whoever comes back to a page after a while makes it ask again who is signed in.
    await page.evaluate(
      `{ const now = Date.now; Date.now = () => now() + 60_000; dispatchEvent(new Event('visibilitychange')) }`,
    )
    await expect.poll(() => page.evaluate(() => 'before' in globalThis).catch(() => true)).toBe(false)
    await page.goto(`${visit.origin}/account`)
    await expect.poll(() => page.inputValue('form [name=name]').catch(() => '')).toBe('Grace')
  })

  test('a team of which the person is no member is forgotten', async () => {
    const { page } = member
    await page.goto(`${visit.origin}/`)
    await page.evaluate(`localStorage.setItem('team', '${randomUUID()}')`)
    await page.goto(`${visit.origin}/sites/${site.id}`)
    await showsPages(page)
    await page.evaluate(`localStorage.setItem('team', '__proto__')`)
    await page.goto(`${visit.origin}/account`)
    await page.waitForSelector('h1')
  })

  test('each site is read in its own team, also after Back; lists are those of the team', async () => {
    const own = await visit.member()
    const first = await seededSite(visit, own)
    const { body: team } = await visit.api.call('POST', '/api/teams', {
      headers: own.login.headers,
      body: { name: 'Second' },
    })
    const second = `${randomUUID()}.example`
    const made = await visit.api.call('POST', '/api/sites', {
      headers: { ...own.login.headers, 'X-Team': team.id },
      body: { domain: second, timezone: 'UTC' },
    })
    expect(made.status).toBe(201)
    const { page } = own
    await page.goto(`${visit.origin}/`)
    await page.waitForSelector(`text=${second}`)
    await page.click('role=button[name^="Choose the team"]')
    await page.click('role=menuitem[name="Test"]')
    await page.waitForSelector(`text=${first.domain}`)
    expect(await page.getByText(second).count()).toBe(0)

    // Sites of both teams, without loading the page anew.
    const refused: string[] = []
    page.on('response', answer => answer.status() >= 400 && refused.push(answer.url()))
    const go = (path: string) => page.evaluate(`history.pushState(null, '', '${path}')`)
    await go(`/sites/${second}`)
    await page.waitForSelector(`header:has-text("${second}")`)
    await go(`/sites/${first.domain}`)
    await page.waitForSelector(`header:has-text("${first.domain}")`)
    await page.goBack()
    await page.waitForSelector(`header:has-text("${second}")`)
    refused.length = 0
    await page.waitForLoadState('networkidle')
    await go(`/sites/${second}?range=today`)
    await page.waitForLoadState('networkidle')
    expect(refused).toEqual([])
  })
})

describe('requests', () => {
  test.each(['account.get', 'account.change', 'sites.list', 'stats.overview'])(
    'a page of another origin cannot send %s with the cookie',
    async procedure => {
      const cookie = member.login.headers.Cookie
      for (const headers of [
        { Origin: 'http://evil.example' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'cross-site' },
        { 'Sec-Fetch-Site': 'same-site', Origin: visit.origin },
        {},
      ]) {
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
          const answer = await fetch(`${visit.api.url}/trpc/${procedure}`, {
            method: 'POST',
            headers: { ...headers, Cookie: cookie, 'Content-Type': type } as Record<string, string>,
            body: JSON.stringify({ siteKey: site.id, name: 'Mallory' }),
          })
          expect([403, 415]).toContain(answer.status)
          expect(answer.headers.get('access-control-allow-origin')).toBeNull()
        }
      }
    },
  )

  test('the reader of a share sends no cookie, for lists and for files; nothing leads to pages of the team', async () => {
    const share = await site.call('POST', '/shares', {
      name: 'Agency',
      sections: ['traffic', 'pages'],
      may_export: true,
    })
    const page = await member.context.newPage()
    const withCookie: string[] = []
    page.on('request', async request => {
      const { cookie } = await request.allHeaders().catch(() => ({ cookie: undefined }))
      if (cookie !== undefined && /\/(api|trpc)\//.test(request.url())) withCookie.push(request.url())
    })
    await page.goto((share.body as { url: string }).url)
    await showsPages(page)
    await page.click('section[aria-label="Pages"] >> text=Details')
    await page.waitForSelector('role=dialog >> table')
    await Promise.all([page.waitForEvent('download'), page.click('text=Download CSV')])
    await page.goto(`${visit.origin}/share/${site.id}/settings`)
    await page.click('main >> role=link[name="Overview"]')
    await showsPages(page)
    expect(withCookie).toEqual([])
    // The pages of the team do, in the same tab.
    await page.goto(`${visit.origin}/sites/${site.id}`)
    await showsPages(page)
    expect(withCookie.length).toBeGreaterThan(0)
    await page.close()
  })
})

describe('answers', () => {
  const concrete = PAGE_PATHS.map(path =>
    path.replace('{/*rest}', '/settings').replace('{/:part}', '/x').replace(':site', 'x'),
  )

  test.each([...concrete, '/embed/x', '/nothing', '/sites/%E0', '/web/..%2f..%2fpackage.json'])(
    '%s has a strict policy, and nothing personal is kept',
    async path => {
      const answer = await fetch(`${visit.api.url}${path}`, {
        headers: { Accept: 'text/html', Cookie: member.login.headers.Cookie },
        redirect: 'manual',
      })
      const policy = answer.headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('cache-control')).toMatch(/^no-(cache|store)$/)
      const html = await answer.text()
      expect(html).not.toContain(member.login.email)
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=| style=/)
    },
  )

  test.each([
    '//evil.example/',
    '/login//evil.example/',
    '/sites//evil.example/',
    '/sites/x/%5c%5cevil.example/',
    '/sites/http:/',
  ])('the slash at the end of %s leads to no other host', async path => {
    const answer = await fetch(visit.api.url + path, { redirect: 'manual' })
    const to = answer.headers.get('location')
    if (to !== null) expect(new URL(to, visit.api.url + path).origin).toBe(new URL(visit.api.url).origin)
  })

  test.each([
    '%00',
    '..%2f..%2fpackage.json',
    `${'a'.repeat(5_000)}-ABCDEFGH.js`,
    'manifest.json',
    'main-ABCDEFGH.js.br',
  ])('there is no file %s', async name => {
    expect((await fetch(`${visit.api.url}/web/${name}`)).status).toBe(404)
  })
})

test('no page loads anything from another origin, or breaks the policy', async () => {
  const page = await member.context.newPage()
  const complaints = complaintsOf(page)
  const foreign: string[] = []
  page.on('request', request => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(visit.origin))
      foreign.push(request.url())
  })
  for (const path of [
    '/',
    '/new',
    '/team',
    '/account',
    ...SITE_PAGES.map(each => `/sites/${site.id}/${each.path}`),
  ]) {
    await page.goto(visit.origin + path.replace(/\/$/, ''))
    await page.waitForLoadState('networkidle')
  }
  expect(await sessionOf(member.context)).toBe(member.login.secret)
  expect({ foreign, complaints }).toEqual({ foreign: [], complaints: [] })
  await page.close()
})
