import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessibilityProblems, sticksOut } from './audit-page.ts'
import { type SeededHit, type SeededSite, seededSite, TOO_SLOW } from './seeded-site.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

const NOW = new Date('2026-03-18T12:00:30Z')
const DAY = 86_400_000
const RANGE = 'range=last_7_days'
const LONG = 'x'.repeat(2_000)
const HOSTILE = `<img src=x onerror="alert(1)">\u202e${LONG}`

let visit: Visit
let member: Member
let site: SeededSite
let empty: SeededSite

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  member = await visit.member()
  site = await seededSite(visit, member)
  empty = await seededSite(visit, member)
  await site.store(hits())
})
afterAll(() => visit.close())

/** Ten visitors on five days; two of them are here now, and the last one sends nothing that is harmless. */
function hits(): SeededHit[] {
  return Array.from({ length: 10 }, (_, index) => {
    const visitor = randomUUID()
    const at = NOW.getTime() - 60_000 * (index + 1) - Math.max(0, index - 2) * 0.5 * DAY
    const isHostile = index === 9
    const title = isHostile ? HOSTILE : index % 2 === 0 ? 'Home' : 'Pricing'
    const url = isHostile ? `/${LONG}` : index % 2 === 0 ? '/' : '/pricing'
    const from = { country: index % 2 === 0 ? 'DE' : 'JP', source: 'Google', size: 'mobile' as const }
    const event = isHostile ? HOSTILE.slice(0, 120) : index % 3 === 0 ? 'download_app' : 'signup'
    const props: Record<string, string> = isHostile
      ? { [HOSTILE.slice(0, 60)]: 'javascript:alert(1)' }
      : { plan: index < 4 ? 'pro' : 'free' }
    return [
      { at, visitor, fields: { url, title }, dimensions: from },
      {
        at: at + 5_000,
        visitor,
        fields: { type: 'engagement' as const, url, title, scroll: 60, engagedMs: 4_000 },
      },
      { at: at + 6_000, visitor, fields: { type: 'event' as const, name: event, url, props } },
      {
        at: at + 7_000,
        visitor,
        fields: { type: 'outbound' as const, name: 'outbound', url, props: { url: 'javascript:alert(1)' } },
      },
      {
        at: at + 8_000,
        visitor,
        fields: {
          type: 'web_vitals' as const,
          url,
          vitals: { id: randomUUID(), lcp: 1_000 * (index + 1), cls: 200 * index, lcpTarget: '#hero' },
        },
      },
    ]
  }).flat()
}

const open = (page: Page, path: string, of = site) => page.goto(`${visit.origin}/sites/${of.domain}/${path}`)
const read = async (path: string) => (await site.call('GET', path)).body
const cells = (page: Page, table: string, column: number) =>
  page.$$eval(
    `table[aria-label="${table}"] tbody tr`,
    (trs, index) => trs.map(tr => tr.querySelectorAll('td')[index]!.textContent),
    column,
  )
const chart = (page: Page) =>
  page.$$eval('figure table tbody tr', trs => trs.map(tr => tr.querySelector('td')!.textContent))

/** Looks at a page as people with screen readers and with phones do. */
async function expectFit(page: Page) {
  expect(await page.$('img[src=x], a[href^="javascript"]')).toBeNull()
  expect(await page.$$eval('h1', all => all.length)).toBe(1)
  expect(await accessibilityProblems(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await sticksOut(page)).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
}

describe('events', () => {
  test('types, series, names and log are those of the API; pageviews are added by a click', async () => {
    const { page, complaints } = member
    await open(page, `events?${RANGE}`)
    await page.waitForSelector('table[aria-label="Event log"] tbody tr')
    await page.waitForSelector('figure svg')
    const { series } = await read(`/stats/events/timeseries?${RANGE}`)
    const sums = (types: string[]) =>
      series.event.map((_: number, index: number) =>
        String(types.reduce((sum, type) => sum + series[type][index], 0)),
      )
    expect(await chart(page)).toEqual(sums(['event', 'outbound']))
    const log = await read(`/stats/events?types=event,outbound&per_page=25&${RANGE}`)
    expect(await cells(page, 'Event log', 1)).toEqual(log.data.map(({ path }: { path: string }) => path))
    const names = await read(`/stats/breakdown?dimension=event_name&${RANGE}`)
    expect(await page.$$eval('section[aria-label="By name"] ol li', all => all.length)).toBe(
      names.data.filter(({ value }: { value: string }) => value !== '(none)').length,
    )
    await expectFit(page)

    await page.click('role=button[name=/^Pageview/]')
    await page.waitForURL(url => url.searchParams.get('types')?.includes('pageview') === true)
    await expect.poll(() => chart(page)).toEqual(sums(['pageview', 'event', 'outbound']))
    await page.goBack()
    await expect.poll(() => chart(page)).toEqual(sums(['event', 'outbound']))
    expect(complaints).toEqual([])
  })

  test('an event is chosen by its name, and a value of its properties filters by it', async () => {
    const { page } = member
    await open(page, `events?${RANGE}`)
    await page.click('section[aria-label="By name"] >> role=button[name=/^signup/]')
    await page.waitForSelector('h2:has-text("Properties of signup")')
    await page.waitForSelector('section[aria-label="Filters"] >> text=Event is')
    const { rows } = await read(
      `/stats/events/property-breakdown?event_type=event&event_name=signup&${RANGE}`,
    )
    await expect
      .poll(() => page.$$eval('section[aria-label="plan"] ol li', all => all.map(row => row.textContent)))
      .toEqual(rows.map((row: { value: string; visitors: number }) => `${row.value}${row.visitors}`))
    await page.click('section[aria-label="plan"] >> role=button[name=/^pro/]')
    await page.waitForURL(url => url.searchParams.get('prop_value') === 'pro')
    expect(new URL(page.url()).searchParams.get('prop_key')).toBe('plan')
    const { meta } = await read(
      `/stats/events?types=event&event_name=signup&prop_key=plan&prop_value=pro&${RANGE}`,
    )
    await expect.poll(async () => (await cells(page, 'Event log', 0)).length).toBe(meta.total)
  })

  test('a type that is named like another event is asked for by its own', async () => {
    const { page } = member
    await open(page, `events?event_name=outbound&${RANGE}`)
    await page.waitForSelector('section[aria-label="url"] ol li')
    expect(await page.textContent('section[aria-label="url"] ol')).toContain('javascript:alert(1)')
    await expectFit(page)
  })

  test('the time of an event leads to its visit', async () => {
    const { page } = member
    await open(page, `events?${RANGE}`)
    const [first] = (await read(`/stats/events?types=event,outbound&${RANGE}`)).data
    await page.click('table[aria-label="Event log"] tbody tr >> nth=0 >> td:last-child a')
    await page.waitForURL(url => url.pathname.endsWith(`/sessions/${first.session_id}`))
  })

  test('without events it says so', async () => {
    const { page } = member
    await open(page, `events?${RANGE}`, empty)
    await page.waitForSelector('text=No events of the chosen types in this period')
    expect(await accessibilityProblems(page)).toEqual([])
  })
})

describe('page titles', () => {
  test('rows, their order and the series of a title are those of the API', async () => {
    const { page, complaints } = member
    await open(page, `titles?${RANGE}`)
    await page.waitForSelector('table[aria-label="Page titles"] tbody tr')
    const { data } = await read(`/stats/breakdown?dimension=title&sort=sessions&${RANGE}`)
    // Hits without a title are no row.
    const titled = data.filter(({ value }: { value: string }) => value !== '(none)')
    expect(await cells(page, 'Page titles', 1)).toEqual(
      titled.map(({ sessions }: { sessions: number }) => String(sessions)),
    )
    expect((await cells(page, 'Page titles', 4))[1]).toBe('4s')
    expect((await cells(page, 'Page titles', 5))[1]).toBe('60%')
    await page.click('td >> role=button[name="Pricing"]')
    await page.waitForSelector('h2:has-text("Visits that saw “Pricing”")')
    const { values } = await read(`/stats/page-titles/timeseries?title=Pricing&${RANGE}`)
    await expect.poll(() => chart(page)).toEqual(values.map(String))
    await expectFit(page)
    await page.click('role=button[name="Filter by Home"]')
    await page.waitForURL(url => url.searchParams.get('title') === 'Home')
    await expect.poll(async () => (await cells(page, 'Page titles', 0)).length).toBe(1)
    expect(complaints).toEqual([])
    await open(page, `titles?${RANGE}`, empty)
    await page.waitForSelector('text=No page titles in this period')
  })
})

describe('web vitals', () => {
  test('values, shares, series, breakdown and causes are those of the API', async () => {
    const { page, complaints } = member
    await open(page, `web-vitals?${RANGE}`)
    await page.waitForSelector('table[aria-label^="By page"] tbody tr')
    const { lcp } = await read(`/stats/web-vitals?${RANGE}`)
    expect(lcp.p75).toBe(8_000)
    expect(await page.textContent('role=button[name=/^LCP/]')).toContain('8 s')
    const shares = await page.getAttribute('role=button[name=/^LCP/] >> role=img', 'aria-label')
    expect(shares).toBe(`Good ${lcp.good}%, Needs improvement ${lcp.needs_improvement}%, Poor ${lcp.poor}%`)
    const series = await read(`/stats/web-vitals/timeseries?metric=lcp&${RANGE}`)
    await page.waitForSelector('figure svg')
    expect(await chart(page)).toEqual(
      series.p75.map((value: number | null) => (value === null ? '–' : `${value / 1_000} s`)),
    )
    await page.waitForSelector('table[aria-label="What made values poor"] >> text=#hero')
    await expectFit(page)
    await page.click('role=tab[name="Countries"]')
    await expect.poll(() => cells(page, 'By page, device and country', 0)).toEqual(['Germany', 'Japan'])
    await page.click('role=button[name=/^CLS/]')
    await page.waitForURL(url => url.searchParams.get('metric') === 'cls')
    await page.waitForSelector('text=Good to 0.1, poor above 0.25')
    await page.click('role=button[name="Germany"]')
    await page.waitForURL(url => url.searchParams.get('country') === 'DE')
    expect(complaints).toEqual([])
    await open(page, `web-vitals?${RANGE}`, empty)
    await page.waitForSelector('text=No Web Vitals in this period')
  })
})

describe('live', () => {
  test('shows who is here as the API says', async () => {
    const { page, complaints } = member
    await open(page, 'live')
    await page.waitForSelector('[data-now]')
    const live = await read('/stats/live')
    expect(live.visitors).toBe(3)
    expect(await page.textContent('[data-now]')).toBe('3')
    expect(
      await page.$$eval('figure table tbody tr', trs => trs.map(tr => tr.querySelector('td')!.textContent)),
    ).toEqual(live.minutes.map(({ visitors }: { visitors: number }) => String(visitors)))
    const pages = await page.$$eval('section[aria-label="Pages"] ol li', all =>
      all.map(row => row.textContent),
    )
    expect(pages).toEqual(
      live.pages.map(({ value, visitors }: { value: string; visitors: number }) => `${value}${visitors}`),
    )
    expect(await cells(page, 'Newest events', 0)).toHaveLength(live.events.length)
    await expectFit(page)
    expect(complaints).toEqual([])
    await open(page, 'live', empty)
    await page.waitForSelector('text=Nothing happened in the last 30 minutes')
  })

  test('asks once in five seconds, the frame included, and not while it is hidden', async () => {
    const { page, context } = await visit.member({ teamId: member.login.teamId })
    await page.clock.install()
    const asked: string[] = []
    page.on('request', request => {
      if (request.url().includes('/trpc/')) asked.push(new URL(request.url()).pathname)
    })
    const answered = () => page.waitForResponse('**/trpc/stats.live')
    await open(page, 'live')
    await page.waitForSelector('[data-now]')
    asked.length = 0
    for (let round = 0; round < 3; round += 1) {
      await page.clock.runFor(4_000)
      await Promise.all([answered(), page.clock.runFor(1_500)])
    }
    expect(asked).toEqual(['/trpc/stats.live', '/trpc/stats.live', '/trpc/stats.live'])

    await site.store([{ at: NOW.getTime(), visitor: randomUUID(), fields: { url: '/new' } }])
    await Promise.all([answered(), page.clock.runFor(6_000)])
    await page.waitForSelector('[data-now="4"]')
    await show(page, 'hidden')
    asked.length = 0
    await page.clock.runFor(60_000)
    expect(asked).toEqual([])
    await show(page, 'visible')
    await Promise.all([answered(), page.clock.runFor(6_000)])
    await context.close()
  })
})

describe('what takes too long', () => {
  test.each([
    ['events', 'eventsTimeseries'],
    ['events', 'events'],
    ['titles', 'breakdown'],
    ['titles', 'pageTitlesTimeseries'],
    ['web-vitals', 'webVitals'],
    ['web-vitals', 'webVitalsBreakdown'],
    ['live', 'live'],
  ])('%s says so for stats.%s, and tries again', async (path, procedure) => {
    const { page } = member
    const pattern = `**/trpc/stats.${procedure}`
    await page.route(pattern, route => route.fulfill(TOO_SLOW))
    await open(page, `${path}?range=last_30_days`)
    await page.waitForSelector('text=Try a shorter range or fewer filters')
    await page.unroute(pattern)
    await page.click('role=button[name="Try again"]')
    await page.waitForSelector('text=Try a shorter range', { state: 'detached' })
    await page.waitForSelector('main table tbody tr')
  })
})

describe('a reader of a share', () => {
  test('without the section people sees events, but not who did them', async () => {
    const share = { name: 'Events', sections: ['traffic', 'events', 'pages'] }
    const { body } = await site.call('POST', '/shares', share)
    const context = await visit.person()
    const page = await context.newPage()
    await page.goto(body.url)
    await page.click('nav >> text=Events')
    await page.waitForSelector('table[aria-label="Event log"] tbody tr')
    const heads = await page.$$eval('table[aria-label="Event log"] th', all =>
      all.map(head => head.textContent),
    )
    expect(heads).not.toContain('Who')
    expect(heads).not.toContain('Country')
    expect(heads).not.toContain('Device')
    expect(await page.$$('table[aria-label="Event log"] a')).toEqual([])
    await context.close()
  })
})

/** Tells the page that the person looks at another tab, or at it again. */
const show = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  }`)
