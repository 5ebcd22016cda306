// @module-tag full
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { SITE_PAGES } from '../../src/web/app/site/pages-of-site.ts'
import { signIn } from '../support/browser-session.ts'
import { seededSite } from './seeded-site.ts'
import { siteVisit } from './site-visit.ts'
import { complaintsOf } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const all = siteVisit({
  now: () => NOW,
  hits: [
    { at: NOW.getTime() - 60_000, visitor: randomUUID(), fields: { url: '/pricing', title: 'Pricing' } },
  ],
})

const showsPages = (page = all.page) => page.waitForSelector('section[aria-label="Pages"] ol li')

const WRONG = [
  'range=__proto__',
  'from=2026-99-99&to=2026-99-99',
  'compare=custom&compare_from=x&compare_to=y',
  '__proto__[is]=x&constructor=y&toString=z&channel=',
  'page=1e308&metric=constructor&tab=constructor&list=__proto__&sort=__proto__&by=constructor',
]
test.each(SITE_PAGES.map(({ path }) => path))('wrong values in an address: do not break /%s', async path => {
  const page = await all.member.context.newPage()
  const complaints = complaintsOf(page)
  for (const query of WRONG) {
    await page.goto(`${all.visit.origin}/sites/${all.site.id}${path && `/${path}`}?${query}`)
    await page.waitForSelector('main h1, main h2, main section', { state: 'attached' })
    expect(await page.getByText('This did not work').isVisible(), query).toBe(false)
  }
  expect(complaints).toEqual([])
  await page.close()
})

test('wrong values in an address: names that every object has are no filters and no values; thousands of parameters do no harm', async () => {
  const { page, open } = all
  const many = Array.from({ length: 1_500 }, (_, index) => `a${index}`).join('&')
  await open(`?constructor=x&__proto__[is]=y&channel[is_not]=constructor&${many}`)
  await showsPages()
  const bar = (await page.textContent('section[aria-label="Filters"]'))!
  expect(bar).toMatch(/Channel is not\s*constructor/)
  expect(bar).not.toMatch(/function|undefined/)
})

test.each(['%25', '%25E0', '%E0', '%2525E0%25'])(
  'wrong values in an address: the site %s does not exist',
  async key => {
    const { page, visit } = all
    await page.goto(`${visit.origin}/sites/${key}`)
    await page.waitForSelector('h1:has-text("This page does not exist")')
    const answer = await fetch(`${visit.api.url}/sites/${key}`)
    // Programs read errors as JSON.
    if (answer.status >= 400) expect(answer.headers.get('content-type')).toContain('json')
  },
)

test('who is signed in: Back after signing out shows nothing of the person', async () => {
  const { visit } = all
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

test('who is signed in: another person who signs in in another tab sees nothing of the one before', async () => {
  const { visit } = all
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

test('who is signed in: a team of which the person is no member is forgotten', async () => {
  const { page, visit, open } = all
  for (const team of [randomUUID(), '__proto__']) {
    await page.goto(`${visit.origin}/account`)
    await page.waitForSelector('h1')
    await page.evaluate(`localStorage.setItem('team', '${team}')`)
    await open('')
    await showsPages()
  }
})

test('who is signed in: each site is read in its own team, also after Back; lists are those of the team', async () => {
  const { visit } = all
  const own = await visit.member()
  const first = await seededSite(visit, own)
  const { headers } = own.login
  const { body: team } = await visit.api.call('POST', '/api/teams', { headers, body: { name: 'Second' } })
  const second = `${randomUUID()}.example`
  const made = await visit.api.call('POST', '/api/sites', {
    headers: { ...headers, 'X-Team': team.id },
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

test('the reader of a share sends no cookie, for lists and for files; nothing leads to pages of the team', async () => {
  const { visit, member, site } = all
  const share = { name: 'Agency', sections: ['traffic', 'pages'], may_export: true }
  const { url } = (await site.call('POST', '/shares', share)).body
  const page = await member.context.newPage()
  const withCookie: string[] = []
  page.on('request', async request => {
    const { cookie } = await request.allHeaders().catch(() => ({ cookie: undefined }))
    if (cookie !== undefined && /\/(api|trpc)\//.test(request.url())) withCookie.push(request.url())
  })
  await page.goto(url)
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
