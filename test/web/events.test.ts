import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ofFile } from '../support/of-file.ts'
import { expectFit } from './audit-page.ts'
import { type SeededHit, seededSite } from './seeded-site.ts'
import { seriesOn, tableOn } from './shown.ts'
import { expectTooSlow, siteVisit } from './site-visit.ts'

const NOW = new Date('2026-03-18T12:00:30Z')
const DAY = 86_400_000
const RANGE = 'range=last_7_days'
const LONG = 'x'.repeat(2_000)
const HOSTILE = `<img src=x onerror="alert(1)">\u202e${LONG}`

/** Ten visitors on five days; two of them are here now, and the last one sends nothing that is harmless. */
function hits(): SeededHit[] {
  return Array.from({ length: 10 }, (_, index): SeededHit[] => {
    const visitor = randomUUID()
    const start = NOW.getTime() - 60_000 * (index + 1) - Math.max(0, index - 2) * 0.5 * DAY
    const isHostile = index === 9
    const [title, url] = isHostile
      ? [HOSTILE, `/${LONG}`]
      : index % 2 === 0
        ? ['Home', '/']
        : ['Pricing', '/pricing']
    const hit = (seconds: number, fields: SeededHit['fields']): SeededHit => ({
      ...{ at: start + seconds * 1_000, visitor, fields: { url, ...fields } },
    })
    const props: Record<string, string> = isHostile
      ? { [HOSTILE.slice(0, 60)]: 'javascript:alert(1)' }
      : { plan: index < 4 ? 'pro' : 'free' }
    const name = isHostile ? HOSTILE.slice(0, 120) : index % 3 === 0 ? 'download_app' : 'signup'
    const vitals = { id: randomUUID(), lcp: 1_000 * (index + 1), cls: 200 * index, lcpTarget: '#hero' }
    const dimensions = { country: index % 2 === 0 ? 'DE' : 'JP', source: 'Google', size: 'mobile' as const }
    return [
      { ...hit(0, { title }), dimensions },
      hit(5, { type: 'engagement', title, scroll: 60, engagedMs: 4_000 }),
      hit(6, { type: 'event', name, props }),
      hit(7, { type: 'outbound', name: 'outbound', props: { url: 'javascript:alert(1)' } }),
      hit(8, { type: 'web_vitals', vitals }),
    ]
  }).flat()
}

const all = siteVisit({ now: () => NOW, hits: hits() })
const empty = ofFile(() => seededSite(all.visit, all.member))

const column = async (table: string, index: number) =>
  (await tableOn(all.page, `table[aria-label^="${table}"]`)).map(row => row[index])
const items = (card: string) =>
  all.page.$$eval(`section[aria-label="${card}"] ol li`, found => found.map(item => item.textContent))
const isNamed = ({ value }: { value: string }) => value !== '(none)'

test('events: types, series, names and log are those of the API; pageviews are added by a click', async () => {
  const { page, member, open, read } = all
  await open(`events?${RANGE}`)
  await page.waitForSelector('table[aria-label="Event log"] tbody tr')
  await page.waitForSelector('figure svg')
  const { series } = await read(`/stats/events/timeseries?${RANGE}`)
  const sums = (types: string[]) =>
    series.event.map((_: number, index: number) =>
      String(types.reduce((sum, type) => sum + series[type][index], 0)),
    )
  expect(await seriesOn(page)).toEqual(sums(['event', 'outbound']))
  const log = await read(`/stats/events?types=event,outbound&per_page=25&${RANGE}`)
  expect(await column('Event log', 1)).toEqual(log.data.map(({ path }: { path: string }) => path))
  const names = await read(`/stats/breakdown?dimension=event_name&${RANGE}`)
  expect(await items('By name')).toHaveLength(names.data.filter(isNamed).length)
  await expectFit(page)

  await page.click('role=button[name=/^Pageview/]')
  await page.waitForURL(url => url.searchParams.get('types')?.includes('pageview') === true)
  await expect.poll(() => seriesOn(page)).toEqual(sums(['pageview', 'event', 'outbound']))
  await page.goBack()
  await expect.poll(() => seriesOn(page)).toEqual(sums(['event', 'outbound']))
  await page.click('table[aria-label="Event log"] tbody tr >> nth=0 >> td:last-child a')
  await page.waitForURL(url => url.pathname.endsWith(`/sessions/${log.data[0].session_id}`))
  expect(member.complaints).toEqual([])
})

test('events: one is chosen by its name, and a value of its properties filters by it', {
  tags: ['full'],
}, async () => {
  const { page, open, read } = all
  await open(`events?${RANGE}`)
  await page.click('section[aria-label="By name"] >> role=button[name=/^signup/]')
  await page.waitForSelector('h2:has-text("Properties of signup")')
  await page.waitForSelector('section[aria-label="Filters"] >> text=Event is')
  const { rows } = await read(`/stats/events/property-breakdown?event_type=event&event_name=signup&${RANGE}`)
  await expect
    .poll(() => items('plan'))
    .toEqual(rows.map((row: { value: string; visitors: number }) => `${row.value}${row.visitors}`))
  await page.click('section[aria-label="plan"] >> role=button[name=/^pro/]')
  await page.waitForURL(url => url.searchParams.get('prop_value') === 'pro')
  expect(new URL(page.url()).searchParams.get('prop_key')).toBe('plan')
  const chosen = 'types=event&event_name=signup&prop_key=plan&prop_value=pro'
  const { meta } = await read(`/stats/events?${chosen}&${RANGE}`)
  await expect.poll(async () => (await column('Event log', 0)).length).toBe(meta.total)
})

test('events: a type that is named like another event is asked for by its own', {
  tags: ['full'],
}, async () => {
  const { page, open } = all
  await open(`events?event_name=outbound&${RANGE}`)
  await page.waitForSelector('section[aria-label="url"] ol li')
  expect(await page.textContent('section[aria-label="url"] ol')).toContain('javascript:alert(1)')
  await expectFit(page)
})

test.each([
  ['events', 'No events of the chosen types in this period'],
  ['titles', 'No page titles in this period'],
  ['web-vitals', 'No Web Vitals in this period'],
  ['live', 'Nothing happened in the last 30 minutes'],
])('%s of a site without hits says so', { tags: ['full'] }, async (path, text) => {
  await all.open(`${path}?${RANGE}`, empty)
  await all.page.waitForSelector(`text=${text}`)
})

test('page titles: rows, their order and the series of a title are those of the API', {
  tags: ['full'],
}, async () => {
  const { page, member, open, read } = all
  await open(`titles?${RANGE}`)
  await page.waitForSelector('table[aria-label="Page titles"] tbody tr')
  const { data } = await read(`/stats/breakdown?dimension=title&sort=sessions&${RANGE}`)
  // Hits without a title are no row.
  expect(await column('Page titles', 1)).toEqual(
    data.filter(isNamed).map(({ sessions }: { sessions: number }) => String(sessions)),
  )
  expect([(await column('Page titles', 4))[1], (await column('Page titles', 5))[1]]).toEqual(['4s', '60%'])
  await page.click('td >> role=button[name="Pricing"]')
  await page.waitForSelector('h2:has-text("Visits that saw “Pricing”")')
  const { values } = await read(`/stats/page-titles/timeseries?title=Pricing&${RANGE}`)
  await expect.poll(() => seriesOn(page)).toEqual(values.map(String))
  await expectFit(page)
  await page.click('role=button[name="Filter by Home"]')
  await page.waitForURL(url => url.searchParams.get('title') === 'Home')
  await expect.poll(async () => (await column('Page titles', 0)).length).toBe(1)
  expect(member.complaints).toEqual([])
})

test('web vitals: values, shares, series, breakdown and causes are those of the API', async () => {
  const { page, member, open, read } = all
  await open(`web-vitals?${RANGE}`)
  await page.waitForSelector('table[aria-label^="By page"] tbody tr')
  const { lcp } = await read(`/stats/web-vitals?${RANGE}`)
  expect(lcp.p75).toBe(8_000)
  expect(await page.textContent('role=button[name=/^LCP/]')).toContain('8 s')
  const shares = await page.getAttribute('role=button[name=/^LCP/] >> role=img', 'aria-label')
  expect(shares).toBe(`Good ${lcp.good}%, Needs improvement ${lcp.needs_improvement}%, Poor ${lcp.poor}%`)
  const series = await read(`/stats/web-vitals/timeseries?metric=lcp&${RANGE}`)
  await page.waitForSelector('figure svg')
  expect(await seriesOn(page)).toEqual(
    series.p75.map((value: number | null) => (value === null ? '–' : `${value / 1_000} s`)),
  )
  await page.waitForSelector('table[aria-label="What made values poor"] >> text=#hero')
  await expectFit(page)
  await page.click('role=tab[name="Countries"]')
  await expect.poll(() => column('By page, device and country', 0)).toEqual(['Germany', 'Japan'])
  await page.click('role=button[name=/^CLS/]')
  await page.waitForURL(url => url.searchParams.get('metric') === 'cls')
  await page.waitForSelector('text=Good to 0.1, poor above 0.25')
  await page.click('role=button[name="Filter by Germany"]')
  await page.waitForURL(url => url.searchParams.get('country') === 'DE')
  expect(member.complaints).toEqual([])
})

test('live: shows who is here as the API says', async () => {
  const { page, member, open, read } = all
  await open('live')
  await page.waitForSelector('[data-now]')
  const live = await read('/stats/live')
  expect(live.visitors).toBe(3)
  expect(await page.textContent('[data-now]')).toBe('3')
  expect(await seriesOn(page)).toEqual(
    live.minutes.map(({ visitors }: { visitors: number }) => String(visitors)),
  )
  expect(await items('Pages')).toEqual(
    live.pages.map(({ value, visitors }: { value: string; visitors: number }) => `${value}${visitors}`),
  )
  expect(await column('Newest events', 0)).toHaveLength(live.events.length)
  await expectFit(page)
  expect(member.complaints).toEqual([])
})

test('live: asks once in five seconds, the frame included, and not while it is hidden', {
  tags: ['full'],
}, async () => {
  const { visit, member } = all
  const site = await seededSite(visit, member)
  const here = () => site.store([{ at: NOW.getTime(), visitor: randomUUID(), fields: { url: '/new' } }])
  await here()
  const { page, context } = await visit.member({ teamId: member.login.teamId })
  await page.clock.install()
  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('/trpc/')) asked.push(new URL(request.url()).pathname)
  })
  const answered = () => page.waitForResponse('**/trpc/stats.live')
  await page.goto(`${visit.origin}/sites/${site.domain}/live`)
  await page.waitForSelector('[data-now]')
  asked.length = 0
  for (let round = 0; round < 3; round += 1) {
    await page.clock.runFor(4_000)
    await Promise.all([answered(), page.clock.runFor(1_500)])
  }
  expect(asked).toEqual(['/trpc/stats.live', '/trpc/stats.live', '/trpc/stats.live'])

  await here()
  await Promise.all([answered(), page.clock.runFor(6_000)])
  await page.waitForSelector('[data-now="2"]')
  await show(page, 'hidden')
  asked.length = 0
  await page.clock.runFor(60_000)
  expect(asked).toEqual([])
  await show(page, 'visible')
  await Promise.all([answered(), page.clock.runFor(6_000)])
  await context.close()
})

test.each([
  ['events', 'eventsTimeseries'],
  ['events', 'events'],
  ['titles', 'breakdown'],
  ['titles', 'pageTitlesTimeseries'],
  ['web-vitals', 'webVitals'],
  ['web-vitals', 'webVitalsBreakdown'],
  ['live', 'live'],
])('%s says when stats.%s takes too long, and tries again', { tags: ['full'] }, (path, procedure) =>
  expectTooSlow(all, `${path}?range=last_30_days`, procedure, 'main table tbody tr'),
)

test('events: the reader of a share without the section people sees them, but not who did them', {
  tags: ['full'],
}, async () => {
  const share = { name: 'Events', sections: ['traffic', 'events', 'pages'] }
  const { body } = await all.site.call('POST', '/shares', share)
  const context = await all.visit.person()
  const page = await context.newPage()
  await page.goto(body.url)
  await page.click('nav >> text=Events')
  await page.waitForSelector('table[aria-label="Event log"] tbody tr')
  const heads = await page.locator('table[aria-label="Event log"] th').allTextContents()
  for (const hidden of ['Who', 'Country', 'Device']) expect(heads).not.toContain(hidden)
  expect(await page.$$('table[aria-label="Event log"] a')).toEqual([])
  await context.close()
})

/** Tells the page that the person looks at another tab, or at it again. */
const show = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  }`)
