import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:00Z')
const DAY = 86_400_000
const HOSTILE = `<img src=x onerror="alert(1)">\u202e${'x'.repeat(2_000)}`

let visit: Visit
let member: Member
let site: SeededSite

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  site = await seededSite(visit, member, 'Asia/Tokyo')
  await site.store(hits())
  await site.call('POST', '/goals', { match_type: 'event', match_value: 'signup' })
  await site.call('POST', '/annotations', { text: 'v2.4 released', starts_at: '2026-03-15' })
  await site.call('POST', '/payments', { amount: 4900, currency: 'USD', transaction_id: 'sale-1' })
})
afterAll(() => visit.close())

/** Forty visitors on ten days, some with a second page and an event; the same in the days before, but fewer. */
function hits() {
  const visits = Array.from({ length: 60 }, (_, index) => ({
    at: NOW.getTime() - (index < 40 ? index % 10 : 30 + (index % 10)) * DAY - (index + 1) * 60_000,
    visitor: randomUUID(),
    index,
  }))
  return visits.flatMap(({ at, visitor, index }) => [
    {
      at,
      visitor,
      fields: { url: index % 3 === 0 ? '/pricing' : '/', title: index === 7 ? HOSTILE : 'Home' },
      dimensions: {
        country: index % 2 === 0 ? 'DE' : 'JP',
        source: index % 4 === 0 ? 'Google' : '',
        channel: index % 4 === 0 ? 'Organic Search' : 'Direct',
      },
    },
    ...(index % 5 === 0 ? [{ at: at + 20_000, visitor, fields: { url: '/docs' } }] : []),
    ...(index % 8 === 0
      ? [
          {
            at: at + 30_000,
            visitor,
            fields: { type: 'event' as const, name: 'signup', props: { plan: 'pro' } },
          },
        ]
      : []),
  ])
}

const address = (query = 'range=last_30_days') => `${visit.origin}/sites/${site.domain}?${query}`

async function open(page: Page, query?: string) {
  await page.goto(address(query))
  await page.waitForSelector('figure svg')
  await page.waitForSelector('section[aria-label="Pages"] ol li')
}

/** Figures of the page by their names. */
const figures = (page: Page) =>
  page.$$eval('button[aria-pressed]', buttons =>
    Object.fromEntries(
      buttons
        .filter(button => button.querySelector('strong'))
        .map(button => [
          button.querySelector('span')!.textContent,
          button.querySelector('strong')!.textContent,
        ]),
    ),
  )

/** Rows of a card: name, visitors. */
const rows = (page: Page, card: string) =>
  page.$$eval(`section[aria-label="${card}"] ol li`, items =>
    items.map(item => [
      item.querySelector('bdi')!.textContent,
      item.querySelector('span[title]')!.textContent,
    ]),
  )

describe('overview', () => {
  test('figures, chart and rankings are those of the API, for a zone, a filter and a comparison', async () => {
    const { page, complaints } = member
    for (const query of [
      'range=last_30_days',
      'range=last_7_days&country=DE&compare=previous_year',
      'from=2026-03-10&to=2026-03-12&path[contains]=/pri',
    ]) {
      await open(page, query)
      const overview = (await site.call('GET', `/overview?${query}`)).body
      const shown = await figures(page)
      expect(shown['Unique visitors'], query).toBe(String(overview.visitors))
      expect(shown.Pageviews, query).toBe(String(overview.pageviews))
      expect(shown['Bounce rate'], query).toBe(`${overview.bounce_rate}%`)

      const series = (await site.call('GET', `/stats/timeseries?metric=visitors&${query}`)).body
      const table = await page.$$eval('figure table tbody tr', trs =>
        trs.map(tr => tr.querySelector('td')!.textContent),
      )
      expect(table, query).toEqual(series.values.map(String))

      const pages = (await site.call('GET', `/stats/breakdown?dimension=path&per_page=7&${query}`)).body
      expect(await rows(page, 'Pages'), query).toEqual(
        pages.data.map((row: { value: string; visitors: number }) => [row.value, String(row.visitors)]),
      )
    }
    expect(complaints).toEqual([])
  })

  test('a click on a row filters by it; Back undoes it; chips change and remove filters', async () => {
    const { page } = member
    await open(page)
    const before = await figures(page)
    await page.click('section[aria-label="Places"] ol li button >> nth=0')
    await page.waitForSelector('section[aria-label="Filters"] >> text=Country is')
    expect(new URL(page.url()).searchParams.getAll('country')).toHaveLength(1)
    await expect
      .poll(async () => (await figures(page))['Unique visitors'])
      .not.toBe(before['Unique visitors'])
    await page.goBack()
    await expect.poll(() => figures(page)).toEqual(before)
    await page.goForward()
    await page.click('button[aria-label^="Remove the filter Country"]')
    await expect.poll(() => figures(page)).toEqual(before)
  })

  test('keys choose a period, which the next page without one remembers', async () => {
    const { page } = member
    await open(page)
    await page.keyboard.press('w')
    await page.waitForURL('**range=last_7_days*')
    await page.goto(`${visit.origin}/sites/${site.domain}`)
    await page.waitForSelector('text=Last 7 days')
    await page.keyboard.press('?')
    await page.waitForSelector('role=dialog[name="Keyboard shortcuts"]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('role=dialog', { state: 'detached' })
    await page.keyboard.press('/')
    await page.waitForSelector('role=dialog[name="Search values"]')
    await page.keyboard.type('pric')
    await page.click('role=dialog >> button:has-text("/pricing")')
    await page.waitForURL('**path=/pricing*')
    await page.keyboard.press('x')
    await page.waitForURL(url => !url.searchParams.has('path'))
    await page.keyboard.press('t')
    await page.waitForURL('**range=last_30_days*')
  })

  test('details of a card: search, sort and pages are those of the API, and the file has all rows', async () => {
    const { page } = member
    await open(page)
    await page.click('section[aria-label="Pages"] >> text=Details')
    await page.waitForSelector('role=dialog >> table')
    await page.click('role=dialog >> role=button[name="Pageviews"]')
    await page.waitForSelector('role=dialog >> th[aria-sort=descending] >> text=Pageviews')
    const { data } = (
      await site.call('GET', '/stats/breakdown?dimension=path&sort=pageviews&range=last_30_days')
    ).body
    await expect
      .poll(() => page.$$eval('[role=dialog] tbody tr bdi', cells => cells.map(cell => cell.textContent)))
      .toEqual(data.map(({ value }: { value: string }) => value))
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download CSV')])
    expect(download.suggestedFilename()).toBe('path.csv')
    await page.fill('role=dialog >> input', 'docs')
    await expect.poll(() => page.$$eval('[role=dialog] tbody tr', trs => trs.length)).toBe(1)
    await page.keyboard.press('Escape')
  })

  test('the arrow keys read each bucket of the chart, and the note of a day', async () => {
    const { page } = member
    await open(page)
    await page.focus('[role=group][aria-label="Unique visitors over time"]')
    await page.keyboard.press('End')
    await page.waitForSelector('[role=status] >> text=Wednesday')
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowLeft')
    const readout = await page.textContent('[role=group] [role=status]')
    expect(readout).toContain('Sunday')
    expect(readout).toContain('v2.4 released')
  })

  test('texts from hits are texts: no markup, isolated, and in one line', async () => {
    const { page, complaints } = member
    await open(page)
    await page.click('role=tab[name="Titles"]')
    const title = page.locator('section[aria-label="Pages"] bdi >> text=<img src=x')
    await title.waitFor()
    expect(await page.$('img[src=x]')).toBeNull()
    expect(await title.textContent()).not.toContain('\u202e')
    expect((await title.boundingBox())!.height).toBeLessThan(30)
    await expect.poll(() => sticksOut(page)).toBe(false)
    await page.click('role=tab[name="Pages"]')
    expect(complaints).toEqual([])
  })

  test('a card that takes too long says so, and the others live', async () => {
    const { page } = member
    await page.route('**/trpc/stats.goals', route => route.fulfill(TOO_SLOW))
    await open(page)
    await page.waitForSelector('text=Try a shorter range or fewer filters')
    expect((await rows(page, 'Pages')).length).toBeGreaterThan(0)
    await page.unroute('**/trpc/stats.goals')
    await page.click('role=button[name="Try again"]')
    await page.waitForSelector('text=signup')
  })

  test('the first load has at most 170 kB of JavaScript and then 12 requests', async () => {
    const { page, context } = await visit.member({ teamId: member.login.teamId })
    const scripts: Promise<number>[] = []
    const reads: string[] = []
    page.on('response', response => {
      const path = new URL(response.url()).pathname
      if (path.endsWith('.js')) scripts.push(response.body().then(body => gzipSync(body).length))
      else if (!path.startsWith('/web/') && !path.startsWith('/sites/')) reads.push(path)
    })
    await open(page)
    await page.waitForLoadState('networkidle')
    const bytes = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThanOrEqual(170_000)
    expect(reads.length, reads.join(' ')).toBeLessThanOrEqual(12)
    await context.close()
  })

  test('there are no serious faults for screen readers and keyboards, in both themes, and it fits a phone', async () => {
    const { page } = member
    await open(page, 'range=last_30_days&country=DE')
    expect(await accessibilityProblems(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 740 })
    await page.waitForSelector('figure svg[width]')
    await expect.poll(() => sticksOut(page)).toBe(false)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('German has every text, with its own numbers', async () => {
    const { page, context } = await visit.member({ teamId: member.login.teamId, locale: 'de-DE' })
    await page.goto(address())
    await page.waitForSelector('text=Seitenaufrufe')
    expect(await page.getAttribute('html', 'lang')).toBe('de')
    await page.waitForSelector('text=Absprungrate')
    await context.close()
  })

  test('a site without hits says what to do', async () => {
    const empty = await seededSite(visit, member)
    const { page } = member
    await page.goto(`${visit.origin}/sites/${empty.domain}`)
    await page.waitForSelector('h1:has-text("Waiting for the first visit")')
    expect(await accessibilityProblems(page)).toEqual([])
  })

  test('a site of another team does not exist, and a server that is away is tried again', async () => {
    const { page } = member
    await page.goto(`${visit.origin}/sites/${randomUUID()}.example`)
    await page.waitForSelector('text=you have no access to it')
    let isAway = true
    await page.route('**/trpc/**', route => (isAway ? route.abort() : route.continue()))
    await page.goto(address())
    await page.waitForSelector('h1:has-text("The server is away")')
    isAway = false
    await page.click('role=button[name="Try again"]')
    await page.waitForSelector('figure svg')
    await page.unroute('**/trpc/**')
  })
})
