import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { enrichedHit } from '../support/hits.ts'
import { accessibilityProblems, expectFit } from './audit-page.ts'
import { type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { siteVisit } from './site-visit.ts'
import { askedFor, fill, openWhole } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const HOUR = 3_600_000
const HOSTILE = `/<b>${'x'.repeat(2_000)}`

const at = (hours: number) => ({ at: NOW.getTime() - hours * HOUR, visitor: randomUUID() })
const all = siteVisit({ now: () => NOW, hits: [1 / 60, 1, 2, 30, 200, 800].map(at) })
let quiet: SeededSite

beforeAll(async () => {
  const { visit, member, site } = all
  quiet = await seededSite(visit, member)
  await quiet.store([at(3)])
  await site.call('POST', '/payments', { amount: 123_456, currency: 'USD', transaction_id: 'sale-1' })
})

/** Tiles in their order: domain, visitors. */
const tiles = () =>
  all.page.$$eval('main li', items =>
    items.map(item => [item.querySelector('h2')!.textContent, item.querySelector('strong')!.textContent]),
  )

const listed = async (query: string) => {
  const { headers } = all.member.login
  const { body } = await all.visit.api.call('GET', `/api/sites?${query}`, { headers })
  return body.map((each: { domain: string; visitors: number }) => [each.domain, String(each.visitors)])
}

const open = async (query = '') => {
  await openWhole(all.page, `${all.visit.origin}/${query}`)
  await all.page.waitForSelector('main li h2')
}

test('sites: tiles are those of the API in its order, for each period, order and search', async () => {
  const { page, member } = all
  await open()
  expect(await tiles()).toEqual(await listed('period=30d'))
  await page.selectOption('select[aria-label=Period]', '24h')
  await expect.poll(tiles).toEqual(await listed('period=24h'))
  await page.selectOption('select[aria-label=Order]', 'fewest_visitors')
  await expect.poll(tiles).toEqual(await listed('period=24h&sort=fewest_visitors'))
  await page.fill('input[type=search]', quiet.domain.slice(0, 8))
  await expect.poll(tiles).toEqual([[quiet.domain, '1']])
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    period: '24h',
    sort: 'fewest_visitors',
    search: quiet.domain.slice(0, 8),
  })
  await page.fill('input[type=search]', 'no such site')
  await page.waitForSelector('text=No site has this in its domain')
  await page.click('role=button[name="Clear"]')
  await expect.poll(async () => (await tiles()).length).toBe(2)
  expect(member.complaints).toEqual([])
})

test('sites: a tile has its revenue, its visitors of now, and leads to the site; a pinned one comes first', {
  tags: ['full'],
}, async () => {
  const { visit, page, site } = all
  await open('?period=30d&sort=most_visitors')
  await expectFit(page)
  const tile = page.locator('main li', { hasText: site.domain })
  expect(await tile.textContent()).toContain('$1,235')
  // Five visitors after one are no percentage.
  expect(await tile.locator('p').textContent()).toContain('there were fewer than 10 before')
  await tile.locator('text=1 now').waitFor()
  await page.click(`role=button[name="Pin ${quiet.domain}"]`)
  await expect.poll(async () => (await tiles())[0]).toEqual([quiet.domain, '1'])
  await page.click(`role=button[name="Unpin ${quiet.domain}"]`)
  await expect.poll(async () => (await tiles())[0]![0]).toBe(site.domain)
  await tile.click({ position: { x: 100, y: 60 } })
  await page.waitForURL(`${visit.origin}/sites/${site.domain}`)
})

test('sites: a list that takes too long says so; who has no site is led to a new one', {
  tags: ['full'],
}, async () => {
  const { visit, page } = all
  await page.route('**/trpc/sites.list*', route => route.fulfill(TOO_SLOW))
  await openWhole(page, `${visit.origin}/`)
  await page.waitForSelector('text=This takes too long')
  await page.unroute('**/trpc/sites.list*')
  await page.click('role=button[name="Try again"]')
  await page.waitForSelector('main li h2')

  const newcomer = await visit.member()
  await openWhole(newcomer.page, `${visit.origin}/`)
  await newcomer.page.click('role=link[name="New site"]')
  await newcomer.page.waitForURL(`${visit.origin}/new`)
  const viewer = await visit.member({ role: 'viewer' })
  await openWhole(viewer.page, `${visit.origin}/`)
  await viewer.page.waitForSelector('text=No site yet')
  expect(await viewer.page.$('text=New site')).toBeNull()
  await Promise.all([newcomer, viewer].map(({ context }) => context.close()))
})

/** Stores a pageview of a minute ago, from Germany. */
async function visitPage(id: string, url: string): Promise<void> {
  const { db } = all.visit.api.services
  const [row] = await db<{ siteNo: number }[]>`select site_no as "siteNo" from sites where id = ${id}`
  const hit = enrichedHit({ id, siteNo: row!.siteNo, key: '' }, NOW.getTime() - 60_000, { url })
  await storeHits(db, 0, [{ ...hit, country: 'DE' }])
}

test('new site: from the form over the script to the first visit, which shows as it comes', async () => {
  const { visit } = all
  const { login, page, complaints } = await visit.member({ timezone: 'Europe/Vienna' })
  await page.clock.install()
  const domain = `${randomUUID()}.example`
  await openWhole(page, `${visit.origin}/new`)
  await page.waitForSelector('select[name=currency] option[value=EUR]', { state: 'attached' })
  expect(await page.inputValue('select[name=timezone]')).toBe('Europe/Vienna')
  expect(await accessibilityProblems(page)).toEqual([])
  await fill(page, { domain: 'no domain' })
  await page.waitForSelector('text=must be a host name')
  await fill(page, { domain: `https://${domain}/start`, currency: 'EUR' })
  await page.waitForURL(`${visit.origin}/sites/${domain}/install`)

  await page.waitForSelector('text=Waiting for the first visit')
  await page.waitForSelector(`text=${domain} · Europe/Vienna · EUR`)
  const { headers } = login
  const { body: site } = await visit.api.call('GET', `/api/sites/${domain}`, { headers })
  const tag = await page.textContent('pre')
  expect(tag).toContain(`src="${visit.origin}/js/script.js"`)
  expect(tag).toContain(`data-key="${site.tracking_key}"`)
  for (const way of ['React', 'Next.js', 'Vue', 'WordPress', 'Tag Manager', 'Server']) {
    await page.click(`role=tab[name="${way}"]`)
    await page.waitForSelector(`section[aria-label="${way}"]`)
    expect(await page.textContent('pre'), way).toContain(site.tracking_key)
  }
  await expectFit(page)

  await visitPage(site.id, HOSTILE)
  await askedFor(page, 'text=It works: the first visit is here')
  expect(await page.textContent('[role=status] bdi')).toContain('/<b>xxx')
  expect(await page.textContent('[role=status]')).toContain('Germany')
  await expectFit(page)
  await page.click('role=link[name="Open the overview"]')
  await page.waitForSelector('nav a[aria-current]:has-text("Overview")')
  expect(complaints).toEqual([])
})

test('new site: the check of the page says what it has found', { tags: ['full'] }, async () => {
  const { page } = all
  const data = { status: 'missing', url: 'https://example.com/', reason: 'tag_manager', detail: '' }
  await page.route('**/trpc/sites.checkInstallation', route => route.fulfill({ json: { result: { data } } }))
  await all.open('install', quiet)
  await page.waitForSelector('text=This site has visits already')
  await page.click('text=Check the page for me')
  await page.waitForSelector('text=The page does not have the script')
  await page.waitForSelector('text=It loads Google Tag Manager')
  await page.unroute('**/trpc/sites.checkInstallation')
})
