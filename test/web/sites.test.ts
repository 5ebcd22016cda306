import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { createTeam, createUser } from '../../src/teams/accounts.ts'
import { enrichedHit } from '../support/hits.ts'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const HOUR = 3_600_000
const HOSTILE = `/<b>${'x'.repeat(2_000)}`

let visit: Visit
let member: Member
let [busy, quiet]: SeededSite[] = []

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  busy = await seededSite(visit, member)
  quiet = await seededSite(visit, member)
  const at = (hours: number) => NOW.getTime() - hours * HOUR
  await busy.store([1, 2, 30, 200].map(hours => ({ at: at(hours), visitor: randomUUID() })))
  await busy.store([{ at: NOW.getTime() - 60_000, visitor: randomUUID() }])
  await quiet.store([{ at: at(3), visitor: randomUUID() }])
  await busy.call('POST', '/payments', { amount: 123_456, currency: 'USD', transaction_id: 'sale-1' })
})
afterAll(() => visit.close())

/** Tiles in their order: domain, visitors. */
const tiles = (page: Page) =>
  page.$$eval('main li', items =>
    items.map(item => [item.querySelector('h2')!.textContent, item.querySelector('strong')!.textContent]),
  )

const listed = async (query: string) => {
  const { headers } = member.login
  const { body } = await visit.api.call('GET', `/api/sites?${query}`, { headers })
  return body.map((each: { domain: string; visitors: number }) => [each.domain, String(each.visitors)])
}

const open = async (page: Page, query = '') => {
  await page.goto(`${visit.origin}/${query}`)
  await page.waitForSelector('main li h2')
}

describe('all sites', () => {
  test('tiles are those of the API in its order, for each period, order and search', async () => {
    const { page, complaints } = member
    await open(page)
    expect(await tiles(page)).toEqual(await listed('period=30d'))
    await page.selectOption('select[aria-label=Period]', '24h')
    await expect.poll(() => tiles(page)).toEqual(await listed('period=24h'))
    await page.selectOption('select[aria-label=Order]', 'fewest_visitors')
    await expect.poll(() => tiles(page)).toEqual(await listed('period=24h&sort=fewest_visitors'))
    await page.fill('input[type=search]', quiet!.domain.slice(0, 8))
    await expect.poll(() => tiles(page)).toEqual([[quiet!.domain, '1']])
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      period: '24h',
      sort: 'fewest_visitors',
      search: quiet!.domain.slice(0, 8),
    })
    await page.fill('input[type=search]', 'no such site')
    await page.waitForSelector('text=No site has this in its domain')
    await page.click('role=button[name="Clear"]')
    await expect.poll(async () => (await tiles(page)).length).toBe(2)
    expect(complaints).toEqual([])
  })

  test('a tile has its revenue, its visitors of now, and leads to the site; a pinned one comes first', async () => {
    const { page } = member
    await open(page, '?period=30d&sort=most_visitors')
    const tile = page.locator('main li', { hasText: busy!.domain })
    expect(await tile.textContent()).toContain('$1,235')
    await tile.locator('text=1 now').waitFor()
    await page.click(`role=button[name="Pin ${quiet!.domain}"]`)
    await expect.poll(async () => (await tiles(page))[0]).toEqual([quiet!.domain, '1'])
    await page.click(`role=button[name="Unpin ${quiet!.domain}"]`)
    await expect.poll(async () => (await tiles(page))[0]![0]).toBe(busy!.domain)
    await tile.click({ position: { x: 100, y: 60 } })
    await page.waitForURL(`${visit.origin}/sites/${busy!.domain}`)
  })

  test('a list that takes too long says so; who has no site is led to a new one', async () => {
    const { page } = member
    await page.route('**/trpc/sites.list*', route => route.fulfill(TOO_SLOW))
    await page.goto(`${visit.origin}/`)
    await page.waitForSelector('text=This takes too long')
    await page.unroute('**/trpc/sites.list*')
    await page.click('role=button[name="Try again"]')
    await page.waitForSelector('main li h2')

    const newcomer = await visit.member()
    await newcomer.page.goto(`${visit.origin}/`)
    await newcomer.page.click('role=link[name="New site"]')
    await newcomer.page.waitForURL(`${visit.origin}/new`)
    const viewer = await visit.member({ role: 'viewer' })
    await viewer.page.goto(`${visit.origin}/`)
    await viewer.page.waitForSelector('text=No site yet')
    expect(await viewer.page.$('text=New site')).toBeNull()
    await Promise.all([newcomer, viewer].map(({ context }) => context.close()))
  })

  test('who belongs to several teams switches between them, also after a reload', async () => {
    const { page, login } = member
    const { db, now } = visit.api.services
    const teamId = await createTeam(db, { name: 'Second', plan: 'active' }, now())
    const userId = await createUser(db, { teamId, email: login.email, role: 'viewer' })
    await db`update users set login_id = ${login.loginId} where id = ${userId}`
    await open(page)
    await page.selectOption('select[aria-label=Team]', { label: 'Second' })
    await page.waitForSelector('text=No site yet')
    await page.reload()
    await page.waitForSelector('text=No site yet')
    await page.selectOption('select[aria-label=Team]', { label: 'Test' })
    await expect.poll(async () => (await tiles(page)).length).toBe(2)
  })

  test('the list has no serious fault in both themes, fits a phone, and is there in German', async () => {
    const { page } = member
    await open(page)
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => sticksOut(page)).toBe(false)
    await page.setViewportSize({ width: 1280, height: 900 })
    const german = await visit.member({ teamId: member.login.teamId, locale: 'de-DE' })
    await german.page.goto(`${visit.origin}/`)
    await german.page.waitForSelector('h1:has-text("Websites")')
    await german.context.close()
  })
})

/** Stores a pageview of a minute ago, from Germany. */
async function visitPage(id: string, url: string): Promise<void> {
  const { db } = visit.api.services
  const [row] = await db<{ siteNo: number }[]>`select site_no as "siteNo" from sites where id = ${id}`
  const hit = enrichedHit({ id, siteNo: row!.siteNo, key: '' }, NOW.getTime() - 60_000, { url })
  await storeHits(db, 0, [{ ...hit, country: 'DE' }])
}

describe('new site', () => {
  test('from the form over the script to the first visit, which shows as it comes', async () => {
    const { page, complaints, context } = await visit.member({
      teamId: member.login.teamId,
      timezone: 'Europe/Vienna',
    })
    const domain = `${randomUUID()}.example`
    await page.goto(`${visit.origin}/new`)
    await page.waitForSelector('select[name=currency] option[value=EUR]', { state: 'attached' })
    expect(await page.inputValue('select[name=timezone]')).toBe('Europe/Vienna')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.fill('input[name=domain]', 'no domain')
    await page.click('form button[type=submit]')
    await page.waitForSelector('text=must be a host name')
    await page.fill('input[name=domain]', `https://${domain}/start`)
    await page.selectOption('select[name=currency]', 'EUR')
    await page.click('form button[type=submit]')
    await page.waitForURL(`${visit.origin}/sites/${domain}/install`)

    await page.waitForSelector('text=Waiting for the first visit')
    await page.waitForSelector(`text=${domain} · Europe/Vienna · EUR`)
    const { headers } = member.login
    const { body: site } = await visit.api.call('GET', `/api/sites/${domain}`, { headers })
    const tag = await page.textContent('pre')
    expect(tag).toContain(`src="${visit.origin}/js/script.js"`)
    expect(tag).toContain(`data-key="${site.tracking_key}"`)
    for (const way of ['React', 'Next.js', 'Vue', 'WordPress', 'Tag Manager', 'Server']) {
      await page.click(`role=tab[name="${way}"]`)
      await page.waitForSelector(`section[aria-label="${way}"]`)
      expect(await page.textContent('pre'), way).toContain(site.tracking_key)
    }
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await expect.poll(() => sticksOut(page)).toBe(false)
    await page.setViewportSize({ width: 1280, height: 900 })

    await visitPage(site.id, HOSTILE)
    await page.waitForSelector('text=It works: the first visit is here')
    expect(await page.textContent('[role=status] bdi')).toContain('/<b>xxx')
    expect(await page.textContent('[role=status]')).toContain('Germany')
    await expect.poll(() => sticksOut(page)).toBe(false)
    await page.click('role=link[name="Open the overview"]')
    await page.waitForSelector('nav a[aria-current]:has-text("Overview")')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('the check of the page says what it has found', async () => {
    const { page } = member
    await page.route('**/trpc/sites.checkInstallation', route =>
      route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({
          result: {
            data: { status: 'missing', url: 'https://example.com/', reason: 'tag_manager', detail: '' },
          },
        }),
      }),
    )
    await page.goto(`${visit.origin}/sites/${quiet!.domain}/install`)
    await page.waitForSelector('text=This site has visits already')
    await page.click('text=Check the page for me')
    await page.waitForSelector('text=The page does not have the script')
    await page.waitForSelector('text=It loads Google Tag Manager')
    await page.unroute('**/trpc/sites.checkInstallation')
  })
})
