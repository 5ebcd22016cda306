import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { importHits } from '../../src/ingestion/import/import-hits.ts'
import { streamOf } from '../support/import-lines.ts'
import { silentLog } from '../support/log.ts'
import { deliver, event, item, price, SECRET, subscription } from '../support/stripe.ts'
import { type SeededSite, seededSite } from './seeded-site.ts'
import {
  datesOf,
  type Filter,
  type Goal,
  lineOf,
  type Origin,
  type Payment,
  type Range,
  type Recount,
  recountOf,
  type Sent,
} from './sent-traffic.ts'
import { type Member, startVisit, type Visit } from './visit.ts'

/** 12:30 in Berlin, 16:00 in Kolkata: a Wednesday, four days after the clocks of Berlin changed. */
const NOW = new Date('2026-04-01T10:30:00Z')
const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const BERLIN = 'Europe/Berlin'
const KOLKATA = 'Asia/Kolkata'

const GERMAN = '194.25.0.1'
const AMERICAN = '8.8.8.8'
const JAPANESE = '133.11.0.1'
const origins: Origin[] = [
  {
    sent: { ip: GERMAN, referrer: 'https://www.google.com/' },
    is: { country: 'DE', source: 'Google', channel: 'Organic Search' },
  },
  { sent: { ip: AMERICAN }, is: { country: 'US', source: 'Direct / None', channel: 'Direct' } },
  {
    sent: { ip: GERMAN, query: '?utm_source=facebook&utm_medium=cpc' },
    is: { country: 'DE', source: 'facebook', channel: 'Paid Social' },
  },
  {
    sent: { ip: JAPANESE, referrer: 'https://blog.example.net/post' },
    is: { country: 'JP', source: 'blog.example.net', channel: 'Referral' },
  },
  {
    sent: { ip: AMERICAN, query: '?utm_source=newsletter&utm_medium=email' },
    is: { country: 'US', source: 'newsletter', channel: 'Email' },
  },
]

/** The id of a known visitor. */
const visitorId = (name: string) => {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
const ADA = visitorId('Ada')
const BEN = visitorId('Ben')

const PATHS = ['/', '/pricing', '/docs', '/blog/one', '/blog/two']
const ERROR = {
  name: 'TypeError',
  message: 'cart is undefined',
  stack: 'TypeError: cart is undefined\n    at pay (https://shop.example.org/app.js:12:7)',
}

/** Visits of a site: `count` visitors in the 60 days before now and some a year ago, and those at the edges of days. */
function trafficOf(count: number, edges: readonly string[]): Sent[] {
  const sent: Sent[] = []
  for (let index = 0; index < count; index += 1) {
    const visitor = visitorId(`${count} ${index}`)
    const isOld = index % 9 === 0
    const days = (index * 7) % (index % 4 === 0 ? 60 : 20)
    const start = NOW.getTime() - (isOld ? 365 * DAY : 0) - days * DAY - ((index * 37) % 700) * MINUTE - 1_234
    addVisit(sent, visitor, start, index)
    // Some come back, on the same day or on another.
    if (index % 5 === 1 && days > 2)
      addVisit(sent, visitor, start + (index % 2 === 0 ? 31 * MINUTE + 200_000 : 1.5 * DAY), index + 1)
  }
  for (const [index, at] of edges.entries()) {
    const visitor = visitorId(`${count} edge ${index}`)
    sent.push({
      at: Date.parse(at),
      visitor,
      kind: 'pageview',
      path: '/edge',
      title: 'Edge',
      from: origins[index % 2]!,
    })
    // A session over the edge.
    if (index % 2 === 0)
      sent.push({ at: Date.parse(at) + 10 * MINUTE, visitor, kind: 'pageview', path: '/edge/after' })
  }
  return [...sent, ...adaAndBen()].sort((a, b) => a.at - b.at)
}

function addVisit(sent: Sent[], visitor: string, start: number, index: number): void {
  const from = origins[(index * 3) % 5 === 4 && index % 2 ? 0 : (index * 3) % 5]!
  const first = PATHS[index % 3]!
  sent.push({
    at: start,
    visitor,
    kind: 'pageview',
    path: first,
    ...(from.sent.query && { query: from.sent.query }),
    title: `Title ${first}`,
    from,
  })
  if (index % 2 === 0)
    sent.push({
      at: start + 12_345,
      visitor,
      kind: 'engagement',
      path: first,
      scroll: (index * 13) % 101,
      ms: 9_000,
    })
  if (index % 3 === 0)
    sent.push({
      at: start + 65_000 + index,
      visitor,
      kind: 'pageview',
      path: PATHS[(index / 3) % 5]!,
      title: `Title ${PATHS[(index / 3) % 5]}`,
    })
  if (index % 7 === 0)
    sent.push({ at: start + 90_000, visitor, kind: 'event', name: 'signup', path: '/pricing' })
}

/** Ada signs up and meets an error on the day of the change of clocks; Ben comes back after exactly 30 minutes, and after a bit more. */
function adaAndBen(): Sent[] {
  const ada = Date.parse('2026-03-29T00:50:00Z')
  const ben = Date.parse('2026-03-31T08:00:00Z')
  const page = (at: number, visitor: string, path: string): Sent => ({
    at,
    visitor,
    kind: 'pageview',
    path,
    title: `Title ${path}`,
    from: origins[visitor === ADA ? 0 : 3]!,
  })
  return [
    page(ada, ADA, '/pricing'),
    { at: ada + 60_000, visitor: ADA, kind: 'identify', identifier: 'ada-1', person: 'Ada Lovelace' },
    page(ada + 20 * MINUTE, ADA, '/docs'),
    { at: ada + 21 * MINUTE, visitor: ADA, kind: 'event', name: 'signup', path: '/docs' },
    { at: ada + 22 * MINUTE, visitor: ADA, kind: 'event', name: 'error', path: '/docs', error: ERROR },
    page(ben, BEN, '/'),
    page(ben + 30 * MINUTE, BEN, '/docs'),
    page(ben + 60 * MINUTE + 1, BEN, '/pricing'),
  ]
}

const payments: Payment[] = [
  { at: Date.parse('2026-03-29T01:05:00Z'), amount: 123_456, visitor: ADA, customer: 'c-ada' },
  { at: Date.parse('2026-03-31T08:10:00Z'), amount: 2_999, visitor: BEN, customer: 'c-ben' },
  { at: Date.parse('2026-03-31T09:30:00Z'), amount: 50, visitor: BEN, customer: 'c-ben' },
  { at: Date.parse('2026-03-28T22:59:59Z'), amount: 700, customer: 'c-late' },
  { at: Date.parse('2026-03-28T23:00:00Z'), amount: 1_100, customer: 'c-late' },
  {
    at: Date.parse('2026-03-30T12:00:00Z'),
    amount: 99_900,
    visitor: ADA,
    customer: 'c-back',
    refunded: true,
  },
  { at: Date.parse('2026-03-22T12:00:00Z'), amount: 4_200, customer: 'c-before' },
  { at: Date.parse('2025-03-30T12:00:00Z'), amount: 1_000, customer: 'c-year' },
]

/** docs/metrics.md "Conversion" and "Engagement". */
const GOALS: { body: object; name: string; converts: Goal['converts'] }[] = [
  {
    body: { match_type: 'event', match_value: 'signup' },
    name: 'signup',
    converts: ({ kind, name }) => kind === 'event' && name === 'signup',
  },
  {
    body: { match_type: 'page', match_value: '/pricing' },
    name: 'Visit /pricing',
    converts: ({ kind, path }) => kind === 'pageview' && path === '/pricing',
  },
  {
    body: { match_type: 'scroll', match_value: '/docs', scroll_threshold: 50 },
    name: 'Scroll 50% on /docs',
    converts: (hit, { hits }) => {
      const views = hits.filter(({ kind, path }) => kind === 'pageview' && path === '/docs')
      return (
        views.includes(hit) &&
        hits.some(
          ({ kind, path, at, scroll }) =>
            kind === 'engagement' &&
            path === '/docs' &&
            scroll! >= 50 &&
            views.findLast(view => view.at <= at) === hit,
        )
      )
    },
  },
]

interface World {
  name: string
  goals: Goal[]
  zone: string
  site: SeededSite
  recount: Recount
  currency: string
}

let visit: Visit
let member: Member
let berlin: World
let kolkata: World

async function world(zone: string, currency: string, count: number, edges: string[]): Promise<World> {
  const site = await seededSite(visit, member, zone)
  await site.call('PATCH', '/currency', { currency })
  const sent = trafficOf(count, edges)
  const { services } = visit.api
  const geo = await openGeo(services.config.geoipDatabase)
  const target = { siteNo: site.siteNo, siteId: site.id, trackingMode: 'cookieless' } as const
  const result = await importHits(target, streamOf(sent.map(lineOf), 60_000), {
    db: services.db,
    geo,
    log: silentLog,
    now: () => NOW,
    batchHits: 2_000,
  })
  expect(result).toMatchObject({ accepted: sent.length, dropped: 0, rejected_total: 0 })
  for (const [index, { at, amount, visitor, customer, refunded }] of payments.entries()) {
    const made = await site.call('POST', '/payments', {
      amount,
      currency,
      transaction_id: `sale-${index}`,
      customer_id: customer,
      timestamp: new Date(at).toISOString(),
      ...(visitor && { visitor_id: visitor }),
      ...(refunded && { refunded }),
    })
    expect(made.status).toBe(201)
  }
  const goals: Goal[] = []
  for (const { body, name, converts } of GOALS) {
    const made = await site.call('POST', '/goals', body)
    expect(made.status).toBe(201)
    goals.push({ id: made.body.id, name, converts })
  }
  return { name: zone, goals, zone, site, currency, recount: recountOf(zone, sent, payments) }
}

/** Changes of MRR, around the midnights of Berlin. */
async function subscriptionsOf(site: SeededSite): Promise<void> {
  expect((await site.call('PUT', '/processor', { provider: 'stripe', webhook_secret: SECRET })).status).toBe(
    200,
  )
  const plan = (customer: string, amount: number, more = {}) =>
    subscription({
      id: `sub_${customer}`,
      customer: `cus_${customer}`,
      currency: 'eur',
      items: [item(price(amount, { currency: 'eur' }))],
      ...more,
    })
  const steps: [string, ReturnType<typeof plan>, string][] = [
    ['created', plan('ada', 2_000, { metadata: { visitor_id: ADA } }), '2026-03-29T01:10:00Z'],
    ['updated', plan('ada', 3_550, { metadata: { visitor_id: ADA } }), '2026-03-31T12:00:00Z'],
    ['created', plan('ben', 120_000, { metadata: { visitor_id: BEN } }), '2026-03-31T09:30:00Z'],
    ['created', plan('old', 9_000), '2026-01-05T12:00:00Z'],
    ['updated', plan('old', 7_000), '2026-03-25T22:59:59Z'],
    ['updated', plan('old', 6_000), '2026-03-25T23:00:00Z'],
    ['created', plan('gone', 4_000), '2026-01-06T12:00:00Z'],
    ['deleted', plan('gone', 4_000, { status: 'canceled' }), '2026-03-28T22:30:00Z'],
    ['created', plan('back', 500), '2026-01-07T12:00:00Z'],
    ['updated', plan('back', 500, { status: 'paused' }), '2026-01-20T12:00:00Z'],
    ['updated', plan('back', 600), '2026-03-28T23:30:00Z'],
  ]
  for (const [what, object, at] of steps) {
    const sent = event(`customer.subscription.${what}`, object, Date.parse(at) / 1_000)
    const { status } = await deliver({ api: visit.api, siteId: site.id }, sent, {
      signedAt: NOW.getTime() / 1_000,
    })
    expect(status).toBe(200)
  }
}

beforeAll(async () => {
  visit = await startVisit({ now: () => NOW })
  // A reader who lives in the zone of neither site.
  member = await visit.member({ timezone: 'Pacific/Honolulu' })
  await member.context.clock.setFixedTime(NOW)
  berlin = await world(BERLIN, 'EUR', 1_500, [
    '2026-03-28T22:59:59.999Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T00:59:59.999Z',
    '2026-03-29T01:00:00Z',
    '2026-03-29T21:59:59.999Z',
    '2026-03-29T22:00:00Z',
    '2026-03-31T21:55:00Z',
    '2026-03-25T22:59:59.999Z',
    '2026-03-25T23:00:00Z',
    '2025-10-26T00:30:00Z',
    '2025-10-26T01:30:00Z',
    '2025-10-26T22:59:59.999Z',
    '2025-10-26T23:00:00Z',
    '2025-10-25T21:59:59.999Z',
    '2025-10-25T22:00:00Z',
  ])
  await subscriptionsOf(berlin.site)
  kolkata = await world(KOLKATA, 'INR', 60, [
    '2026-03-28T18:29:59.999Z',
    '2026-03-28T18:30:00Z',
    '2026-03-31T18:29:00Z',
    '2026-03-31T18:30:00Z',
    '2026-03-25T18:29:59.999Z',
    '2026-03-25T18:30:00Z',
  ])
})
afterAll(() => visit.close())

// What pages show

const WEEK: Range = { from: '2026-03-26', to: '2026-04-01' }
const BEFORE: Range = { from: '2026-03-19', to: '2026-03-25' }
const YEAR_BEFORE: Range = { from: '2025-03-26', to: '2025-04-01' }
const queryOf = ({ from, to }: Range, more = '') => `from=${from}&to=${to}${more}`

const open = async (page: Page, { site }: World, path: string) => {
  await page.goto(`${visit.origin}/sites/${site.domain}${path}`)
  await page.waitForSelector('figure table tbody tr')
}

/** Figures of a page by their names: the value, and its exact form. */
const figures = (page: Page): Promise<Record<string, [string, string]>> =>
  page.$$eval('main strong[title]', values =>
    Object.fromEntries(
      values.map(value => [
        value.parentElement!.querySelector('span')!.textContent!,
        [value.textContent!, value.getAttribute('title')!],
      ]),
    ),
  )
/** What the figures were before. */
const figuresBefore = (page: Page): Promise<Record<string, string>> =>
  page.$$eval('main strong[title]', values =>
    Object.fromEntries(
      values.map(value => [
        value.parentElement!.querySelector('span')!.textContent!,
        value.parentElement!.querySelector('small[title]')?.getAttribute('title') ?? '',
      ]),
    ),
  )

/** The table of the chart: names of its columns, and its rows. */
const chart = (page: Page): Promise<string[][]> =>
  page.$$eval('figure table tr', trs =>
    trs.map(tr => [...tr.querySelectorAll('th, td')].map(cell => cell.textContent!)),
  )

/** Rows of a card: name, and the exact numbers. */
const rows = (page: Page, card: string): Promise<string[][]> =>
  page.$$eval(`section[aria-label="${card}"] ol li`, items =>
    items.map(item => [
      item.querySelector('bdi')!.textContent!,
      ...[...item.querySelectorAll('button > span[title]')].map(span => span.getAttribute('title')!),
    ]),
  )

const count = (value: number, locale = 'en-GB') => value.toLocaleString(locale)
const percent = (value: number, locale = 'en-GB') =>
  `${value.toLocaleString(locale, { maximumFractionDigits: 2 })}${locale === 'de-DE' ? '\u00a0' : ''}%`
const seconds = (value: number) => `${value.toLocaleString('en-GB', { maximumFractionDigits: 2 })} s`
const duration = (seconds: number) => {
  const whole = Math.round(seconds)
  return whole < 60 ? `${whole}s` : `${Math.floor(whole / 60)}m ${whole % 60}s`
}
const money = (minor: number, currency: string, locale = 'en-GB', digits = 2) =>
  (minor / 100).toLocaleString(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
/** Money in a card: without cents from a hundred on, and where there are none. */
const shortMoney = (minor: number, currency: string) =>
  money(minor, currency, 'en-GB', Math.abs(minor) >= 10_000 || minor % 100 === 0 ? 0 : 2)
const signed = (minor: number, currency = 'EUR') => (minor > 0 ? '+' : '') + money(minor, currency)

const COUNTRIES: Record<string, string> = { DE: 'Germany', US: 'United States', JP: 'Japan' }
const part = (zone: string, at: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(at)
const dayName = (date: string) => {
  const at = Date.parse(date)
  const weekday = part('UTC', at, { weekday: 'long' })
  return `${weekday}, ${part('UTC', at, { day: 'numeric', month: 'long', year: 'numeric' })}`
}
/** The time of a row, by the clocks of the site. */
const momentName = (zone: string, at: number) => {
  const time = part(zone, at, { hour: '2-digit', minute: '2-digit' }).replace(/^0/, '')
  return `${part(zone, at, { weekday: 'short' })} ${part(zone, at, { day: 'numeric', month: 'short' })}, ${time}`
}

type Overview = ReturnType<Recount['overview']>
const shownTraffic = (overview: Overview): Record<string, string> => ({
  'Unique visitors': count(overview.visitors),
  Visits: count(overview.sessions),
  Pageviews: count(overview.pageviews),
  'Views per visit': count(overview.views_per_visit),
  'Bounce rate': percent(overview.bounce_rate),
  'Visit duration': duration(overview.avg_session_seconds),
})

/** The same with every digit, as tooltips show it. */
const exactTraffic = (overview: Overview): Record<string, string> => ({
  ...shownTraffic(overview),
  'Visit duration': seconds(overview.avg_session_seconds),
})

/** Expects the figures of a page to be these; each in its short and its exact form. */
async function expectTraffic(page: Page, overview: Overview, what: string) {
  const expected = Object.fromEntries(
    Object.entries(shownTraffic(overview)).map(([name, value]) => [
      name,
      [value, exactTraffic(overview)[name]],
    ]),
  )
  await expect.poll(() => figures(page), { message: what }).toMatchObject(expected)
}

const QUERIES: [string, Filter, Range, string][] = [
  ['all visits', {}, BEFORE, '&compare=previous'],
  ['visits from a country', { country: 'DE' }, YEAR_BEFORE, '&compare=previous_year&country=DE'],
  ['hits on a page', { path: '/pricing' }, BEFORE, '&compare=previous&path=/pricing'],
  ['both', { country: 'JP', path: '/docs' }, YEAR_BEFORE, '&compare=previous_year&country=JP&path=/docs'],
]

const worlds = (): World[] => [berlin, kolkata]

describe('overview', () => {
  test('figures, chart and rankings are what was sent, in both zones, filtered and compared', async () => {
    const { page, complaints } = member
    for (const each of worlds()) {
      const { site, recount, currency, goals } = each
      for (const [name, filter, before, more] of QUERIES) {
        const what = `${each.name}: ${name}`
        const query = queryOf(WEEK, more)
        const now = recount.overview(WEEK, filter)
        const then = recount.overview(before, filter)
        const paid = recount.money(WEEK, filter)
        const { body: overview } = await site.call('GET', `/overview?${query}`)
        expect(overview, what).toMatchObject({
          ...now,
          revenue: paid.revenue,
          payments: paid.payments,
          days: 7,
        })
        expect(overview.previous, what).toMatchObject({
          ...then,
          revenue: recount.money(before, filter).revenue,
        })

        await open(page, each, `?${query}`)
        await expectTraffic(page, now, what)
        const shown = await figures(page)
        expect(shown.Revenue, what).toEqual([
          shortMoney(paid.revenue, currency),
          money(paid.revenue, currency),
        ])
        const shownBefore = Object.entries(exactTraffic(then)).map(([key, value]) => [
          key,
          `Before: ${value}`,
        ])
        expect(await figuresBefore(page), what).toMatchObject(Object.fromEntries(shownBefore))

        const visitors = recount.series(WEEK, 'visitors', filter)
        const visitorsBefore = recount.series(before, 'visitors', filter)
        const revenue = recount.series(WEEK, 'revenue', filter)
        const series = (await site.call('GET', `/stats/timeseries?metric=visitors&${query}`)).body
        expect(series, what).toMatchObject({ values: visitors, previous: visitorsBefore })
        const days = datesOf(WEEK).map((date, index) => [
          dayName(date),
          count(visitors[index]!),
          count(visitorsBefore[index]!),
          money(revenue[index]!, currency),
        ])
        expect(await chart(page), what).toEqual([['Date', 'Unique visitors', 'Before', 'Revenue'], ...days])

        // The page remembers the tab.
        await page.click('role=tab[name="Channels"]')
        for (const [card, dimension] of [
          ['Pages', 'path'],
          ['Channels', 'channel'],
          ['Countries', 'country'],
        ] as const) {
          const expected = recount.breakdown(WEEK, dimension, filter)
          const { data } = (await site.call('GET', `/stats/breakdown?dimension=${dimension}&${query}`)).body
          expect(data, `${what}: ${dimension}`).toMatchObject(expected)
          await expect
            .poll(async () => (await rows(page, card)).map(row => row.slice(0, 2)), {
              message: `${what}: ${card}`,
            })
            .toEqual(
              expected
                .slice(0, 7)
                .map(({ value, visitors: of }) => [
                  (dimension === 'country' && COUNTRIES[value]) || value,
                  count(of),
                ]),
            )
          if (name !== 'all visits' || dimension === 'path') continue
          const amounts = new Map(recount.revenueBy(WEEK, dimension).map(row => [row.value, row.revenue]))
          expect(
            (await rows(page, card)).map(row => row[2]),
            `${what}: money by ${dimension}`,
          ).toEqual(expected.map(({ value }) => money(amounts.get(value) ?? 0, currency)))
        }
        await page.click('role=tab[name="Sources"]')
        await expect
          .poll(async () => (await rows(page, 'Sources')).map(row => row.slice(0, 2)), { message: what })
          .toEqual(recount.breakdown(WEEK, 'source', filter).map(row => [row.value, count(row.visitors)]))

        const report = (await site.call('GET', `/stats/goals?${query}`)).body
        await page.waitForSelector('section[aria-label="Goals"] ol li')
        const shownGoals = await rows(page, 'Goals')
        for (const goal of goals) {
          const expected = recount.goal(WEEK, goal, filter)
          expect(
            report.find(({ id }: { id: string }) => id === goal.id),
            what,
          ).toMatchObject(expected)
          const row = shownGoals.find(([title]) => title === goal.name)
          // Of many goals, the card has those with the most visitors.
          if (expected.visitors > 0 || row) {
            expect(row, what).toEqual([
              goal.name,
              count(expected.visitors),
              percent(expected.conversion_rate),
            ])
          }
        }
      }
    }
    expect(complaints).toEqual([])
  })

  test('a click on a country keeps its visits alone, and every figure changes with the chart', async () => {
    const { page } = member
    const { recount } = kolkata
    await open(page, kolkata, `?${queryOf(WEEK, '&compare=none')}`)
    await page.click('section[aria-label="Countries"] >> role=button[name=/Germany/]')
    await expectTraffic(page, recount.overview(WEEK, { country: 'DE' }), 'Germany')
    const metrics = [
      ['Pageviews', 'pageviews', count],
      ['Visits', 'sessions', count],
      ['Bounce rate', 'bounce_rate', percent],
      ['Visit duration', 'avg_session_seconds', seconds],
      ['Views per visit', 'views_per_visit', count],
    ] as const
    for (const [figure, metric, write] of metrics) {
      await page.click(`button[aria-pressed]:has-text("${figure}")`)
      const values = recount.series(WEEK, metric, { country: 'DE' }).map(value => write(value))
      await expect
        .poll(async () => (await chart(page)).map(row => row[1]), { message: figure })
        .toEqual([figure, ...values])
    }
    await page.click('button[aria-label^="Remove the filter Country"]')
    await expectTraffic(page, recount.overview(WEEK), 'without the filter')
  })

  test('today is compared with the same hours of yesterday', async () => {
    const { page } = member
    // The end of the present hour, a day before.
    const ends: Record<string, string> = {
      [BERLIN]: '2026-03-31T11:00:00Z',
      [KOLKATA]: '2026-03-31T11:30:00Z',
    }
    for (const each of worlds()) {
      const [today, yesterday] = ['2026-04-01', '2026-03-31'].map(date => ({ from: date, to: date }))
      const then = each.recount.overview(yesterday!, {}, Date.parse(ends[each.zone]!))
      const { body } = await each.site.call('GET', '/overview?range=today&compare=previous')
      expect(body, each.name).toMatchObject(each.recount.overview(today!))
      expect(body.previous, each.name).toMatchObject(then)
      await open(page, each, '?range=today&compare=previous')
      await expectTraffic(page, each.recount.overview(today!), each.name)
      const before = Object.entries(exactTraffic(then)).map(([key, value]) => [key, `Before: ${value}`])
      expect(await figuresBefore(page), each.name).toMatchObject(Object.fromEntries(before))
    }
  })

  test('days of a change of clocks have 23 and 25 hours, half hours of a zone begin theirs', async () => {
    const { page } = member
    for (const [each, date, hours, offset] of [
      [berlin, '2026-03-29', 23, 0],
      [berlin, '2025-10-26', 25, 0],
      [kolkata, '2026-03-29', 24, 330],
    ] as const) {
      const day = { from: date, to: date }
      const expected = each.recount.hours(day, offset)
      expect(expected).toHaveLength(hours)
      expect(expected.reduce((sum, value) => sum + value)).toBeGreaterThan(2)
      const { body } = await each.site.call('GET', `/stats/timeseries?metric=visitors&${queryOf(day)}`)
      expect(body.values, date).toEqual(expected)
      await open(page, each, `?${queryOf(day, '&compare=none')}`)
      const [, ...table] = await chart(page)
      expect(
        table.map(row => row[1]),
        date,
      ).toEqual(expected.map(value => count(value)))
      const clock = table.map(row => row[0]!.split(', ')[1])
      expect(clock[0], date).toBe('0:00')
      expect(clock.includes('2:00'), date).toBe(hours !== 23)
      expect(clock.filter(time => time === '2:00').length, date).toBe(hours - 23)
    }
  })

  test('the last 24 hours end with the present clock hour of the site', async () => {
    const { page } = member
    for (const [each, end] of [
      [berlin, Date.parse('2026-04-01T11:00:00Z')],
      [kolkata, Date.parse('2026-04-01T11:30:00Z')],
    ] as const) {
      const hits = each.recount.sessions
        .flatMap(session => session.hits)
        .filter(({ kind, at }) => (kind === 'pageview' || kind === 'event') && at >= end - DAY && at < end)
      const hours = Array.from({ length: 24 }, (_, hour) => {
        const from = end - DAY + hour * 60 * MINUTE
        const inHour = hits.filter(({ at }) => at >= from && at < from + 60 * MINUTE)
        return [momentName(each.zone, from), count(new Set(inHour.map(({ visitor }) => visitor)).size)]
      })
      await open(page, each, '?range=last_24_hours&compare=none')
      expect(
        (await chart(page)).slice(1).map(row => row.slice(0, 2)),
        each.name,
      ).toEqual(hours)
      await expect
        .poll(async () => (await figures(page))['Unique visitors'], { message: each.name })
        .toEqual(Array(2).fill(count(new Set(hits.map(({ visitor }) => visitor)).size)))
    }
  })

  test('twelve months are shown by month, and visitors of several days once', async () => {
    const { page } = member
    const { recount } = berlin
    await open(page, berlin, '?range=last_12_months&compare=none')
    const months = [
      ...new Set(datesOf({ from: '2025-05-01', to: '2026-04-01' }).map(date => date.slice(0, 7))),
    ]
    const expected = months.map(month => {
      const range = { from: `${month}-01`, to: month === '2026-04' ? '2026-04-01' : `${month}-31` }
      const name = part('UTC', Date.parse(range.from), { month: 'long', year: 'numeric' })
      return [name, count(recount.overview(range).visitors)]
    })
    expect((await chart(page)).slice(1).map(row => row.slice(0, 2))).toEqual(expected)
    const { visitors } = recount.overview({ from: '2025-05-01', to: '2026-04-01' })
    await expect
      .poll(async () => (await figures(page))['Unique visitors'])
      .toEqual(Array(2).fill(count(visitors)))
  })

  test('the list of sites has the visitors, the change and the revenue of each', async () => {
    const { page } = member
    await page.goto(`${visit.origin}/`)
    await page.waitForSelector('main li h2')
    await page.selectOption('select[aria-label=Period]', '7d')
    await page.waitForSelector('main [title="Visitors: Last 7 days"]')
    for (const { recount, site, currency } of worlds()) {
      const [now, before] = [recount.overview(WEEK).visitors, recount.overview(BEFORE).visitors]
      const row = page.locator('main li', { hasText: site.domain })
      await expect.poll(() => row.locator('strong').textContent()).toBe(count(now))
      expect(await row.locator('p').textContent()).toContain(
        `↑ ${Math.round((100 * (now - before)) / before)}%`,
      )
      expect(await row.locator(`[title="${money(recount.money(WEEK).revenue, currency)}"]`).count()).toBe(1)
    }
  })

  test('details of a card have the numbers of each row', async () => {
    const { page } = member
    const { recount } = berlin
    await open(page, berlin, `?${queryOf(WEEK)}`)
    await page.click('section[aria-label="Pages"] >> text=Details')
    await page.waitForSelector('role=dialog >> table tbody tr')
    const shown = await page.$$eval('[role=dialog] tbody tr', trs =>
      trs.map(tr => [...tr.querySelectorAll('td')].slice(0, 4).map(cell => cell.textContent!)),
    )
    expect(shown).toEqual(
      recount
        .breakdown(WEEK, 'path')
        .map(row => [row.value, count(row.visitors), count(row.pageviews), percent(row.bounce_rate)]),
    )
  })

  test('numbers are written the German way', async () => {
    const { page, context } = await visit.member({
      teamId: member.login.teamId,
      locale: 'de-DE',
      timezone: 'America/New_York',
    })
    await context.clock.setFixedTime(NOW)
    const range = { from: '2026-03-03', to: '2026-04-01' }
    const { recount } = berlin
    const overview = recount.overview(range)
    expect(overview.visitors).toBeGreaterThan(1_000)
    await open(page, berlin, '?range=last_30_days&compare=previous')
    await expect
      .poll(() => figures(page))
      .toMatchObject({
        Besucher: [count(overview.visitors, 'de-DE'), count(overview.visitors, 'de-DE')],
        Seitenaufrufe: [count(overview.pageviews, 'de-DE'), count(overview.pageviews, 'de-DE')],
        'Aufrufe/Besuch': [
          count(overview.views_per_visit, 'de-DE'),
          count(overview.views_per_visit, 'de-DE'),
        ],
        Umsatz: [
          money(recount.money(range).revenue, 'EUR', 'de-DE', 0),
          money(recount.money(range).revenue, 'EUR', 'de-DE'),
        ],
      })
    expect((await chart(page))[1]![0]).toBe('Dienstag, 3. März 2026')
    expect((await chart(page)).at(-1)![0]).toBe('Mittwoch, 1. April 2026')
    await context.close()
  })
})

describe('people, errors and money', () => {
  test('visits are listed with the clocks of the site, their pages and their lengths', async () => {
    const { page } = member
    for (const [each, range, more, chosen] of [
      [kolkata, WEEK, '', () => true],
      [
        berlin,
        { from: '2026-03-20', to: '2026-04-01' },
        '&entry_path=/edge',
        (path: string) => path === '/edge',
      ],
    ] as const) {
      const expected = each.recount.sessions
        .filter(({ start, hits }) => {
          const date = each.recount.dateOf(start)
          return date >= range.from && date <= range.to && chosen(hits[0]!.path!)
        })
        .sort((a, b) => b.start - a.start)
        .map(({ start, end, hits, is }) => [
          momentName(each.zone, start),
          is.source,
          hits[0]!.path,
          COUNTRIES[is.country],
          String(hits.filter(({ kind }) => kind === 'pageview').length),
          duration((end - start) / 1_000),
        ])
      expect(expected.length).toBeGreaterThan(5)
      expect(expected.length).toBeLessThanOrEqual(25)
      await page.goto(`${visit.origin}/sites/${each.site.domain}/people?tab=sessions&${queryOf(range, more)}`)
      await page.waitForSelector('table[aria-label=Visits] tbody tr')
      const shown = await page.$$eval('table[aria-label=Visits] tbody tr', trs =>
        trs.map(tr => {
          const cells = [...tr.querySelectorAll('td')]
          return [1, 2, 3, 4, 6, 7].map(
            index => (cells[index]!.querySelector('bdi') ?? cells[index]!).textContent!,
          )
        }),
      )
      expect(shown, each.name).toEqual(expected)
    }
  })

  test('a hit joins a visit up to 30 minutes after the one before', async () => {
    const { page } = member
    const visits = berlin.recount.visits(WEEK, BEN)
    expect(visits.map(({ hits }) => hits.length)).toEqual([1, 2])
    await page.goto(`${visit.origin}/sites/${berlin.site.domain}/people/${BEN}?${queryOf(WEEK)}`)
    await page.waitForSelector('dt:text-is("Visits") + dd:text-is("2")')
    expect(await page.textContent('dt:text-is("Revenue") + dd')).toBe('€30.49')
  })

  test('an error leads to its visit, which spans the skipped hour', async () => {
    const { page } = member
    await page.goto(`${visit.origin}/sites/${berlin.site.domain}/errors?${queryOf(WEEK)}`)
    await page.click('main table a >> text=cart is undefined')
    await page.waitForSelector('pre')
    expect(await page.textContent('pre')).toBe(ERROR.stack)
    expect(await page.textContent('dt:text-is("Occurrences") + dd')).toBe('1')
    expect((await chart(page)).map(row => row[1])).toEqual(['Occurrences', '0', '0', '0', '1', '0', '0', '0'])
    await page.click('role=link[name="Open visit"]')
    await page.waitForSelector('h1:has-text("Visit of Ada Lovelace")')
    const fact = (label: string) => page.textContent(`dt:text-is("${label}") + dd`)
    expect(await fact('Duration')).toBe('22m 0s')
    expect(await fact('Pageviews')).toBe('2')
    expect(await fact('Events')).toBe('2')
    expect(await fact('Revenue')).toBe('€1,235')
    expect(await page.getAttribute('dt:text-is("Revenue") + dd span[title]', 'title')).toBe('€1,234.56')
    const times = await page.$$eval('main ol time', all => all.map(each => each.textContent))
    expect(times).toEqual(['01:50:00', '03:10:00', '03:11:00', '03:12:00'])
  })

  test('money without subscriptions is that of the payments', async () => {
    const { page } = member
    const paid = kolkata.recount.money(WEEK)
    await open(page, kolkata, `/money?${queryOf(WEEK)}`)
    const exact = Object.entries(await figures(page)).map(([name, [, value]]) => [name, value])
    expect(Object.fromEntries(exact)).toEqual({
      Revenue: money(paid.revenue, 'INR'),
      Payments: count(paid.payments),
      'Paying customers': count(paid.paying_customers),
      'New customers': count(paid.new_customers),
      'Revenue per customer': money(Math.round(paid.revenue / paid.paying_customers), 'INR'),
    })
    const revenue = kolkata.recount.series(WEEK, 'revenue')
    expect((await chart(page)).slice(1).map(row => row[1])).toEqual(
      revenue.map(minor => shortMoney(minor, 'INR')),
    )
  })

  test('the waterfall is that of the movements of the week, which begins and ends at local midnight', async () => {
    const { page } = member
    await open(page, berlin, `/money?${queryOf(WEEK)}`)
    await page.waitForSelector('table[aria-label="From the first day to the last"]')
    const steps = await page.$$eval('table[aria-label="From the first day to the last"] tbody tr', trs =>
      trs.map(tr => [...tr.querySelectorAll('th, td:not([aria-hidden])')].map(cell => cell.textContent!)),
    )
    // 70 of old and 40 of gone; old fell by 20 a second before the week, and by 10 at its first moment.
    expect(steps).toEqual([
      ['MRR at the start', money(11_000, 'EUR'), '2 customers'],
      ['New', signed(122_000), '+2'],
      ['Reactivation', signed(600), '+1'],
      ['Expansion', signed(1_550), ''],
      ['Contraction', signed(-1_000), ''],
      ['Churn', signed(-4_000), '-1'],
      ['MRR at the end', money(130_150, 'EUR'), '4 customers'],
    ])
    const { body } = await berlin.site.call('GET', `/stats/money?${queryOf(WEEK)}`)
    expect(body).toMatchObject({
      mrr_at_start: 11_000,
      new_mrr: 122_000,
      reactivation_mrr: 600,
      expansion_mrr: 1_550,
      contraction_mrr: -1_000,
      churned_mrr: -4_000,
      mrr: 130_150,
      revenue: berlin.recount.money(WEEK).revenue,
      new_customers: berlin.recount.money(WEEK).new_customers,
    })
    const exact = await figures(page)
    expect(exact['MRR change']![1]).toBe(money(119_150, 'EUR'))
    expect(exact.Revenue![1]).toBe(money(berlin.recount.money(WEEK).revenue, 'EUR'))
    // 1301.50 × 2 × 7 × 12 ÷ (4 × 1 × 365)
    expect(exact['Lifetime value']![1]).toBe(money(14_976, 'EUR'))
    const mrr = (await chart(page)).slice(1).map(row => row[1])
    expect(mrr).toEqual(
      [10_000, 10_000, 6_000, 8_600, 8_600, 130_150, 130_150].map(minor => shortMoney(minor, 'EUR')),
    )
  })
})

describe('share', () => {
  /** Names of fields that belong to other sections; they are absent or null. */
  const FIELD =
    /revenue|mrr|payment|customer|_id|user|name|avatar|country|city|region|source|channel|goal|conver/
  /** Values of the hits, of the payments and of the goals. */
  const VALUE = /Ada|Lovelace|Germany|^DE$|Google|Organic|signup|cart is undefined|123456|1234\.56|MRR|EUR/

  /** What an answer has of other sections, but for `kpi`, which is the same in all overviews. */
  function foreign(answer: unknown, path = ''): string[] {
    // What the link itself is, and the currency of the site, are no secrets.
    const isKnown = path.endsWith('.kpi') || /shares\.site\.result\.data\.(name|currency)$/.test(path)
    if (answer === null || answer === undefined || isKnown) return []
    if (typeof answer !== 'object') {
      const isForeign = FIELD.test(path.split('.').at(-1)!) || VALUE.test(String(answer))
      return isForeign ? [`${path}: ${String(answer)}`] : []
    }
    return Object.entries(answer).flatMap(([key, value]) => foreign(value, `${path}.${key}`))
  }

  test('a link shows the same traffic and pages, and its browser receives nothing else', async () => {
    const { recount, site } = berlin
    const sections = ['traffic', 'pages']
    const { url, secret } = (await site.call('POST', '/shares', { name: 'For the agency', sections })).body
    for (const way of ['share', 'embed']) {
      const context = await visit.person({ timezone: 'Asia/Tokyo' })
      await context.clock.setFixedTime(NOW)
      const page = await context.newPage()
      const received: Promise<string[]>[] = []
      page.on('response', response => {
        const { pathname } = new URL(response.url())
        if (!pathname.startsWith('/web/') && response.request().resourceType() === 'fetch') {
          // An answer to a page that was left meanwhile is gone: the page did not show it either.
          const answer = response.json().catch(() => undefined)
          received.push(answer.then(body => (body === undefined ? [] : foreign(body, pathname))))
        }
      })
      if (way === 'share') {
        await page.goto(url)
        await page.waitForSelector('figure table tbody tr')
      }
      const address = `${visit.origin}/${way}/${site.id}?${queryOf(WEEK, '&compare=previous')}`
      await page.goto(way === 'share' ? address : `${address}#${secret}`)
      await page.waitForSelector('figure table tbody tr')
      await expectTraffic(page, recount.overview(WEEK), way)
      expect(Object.keys(await figures(page)), way).toEqual(Object.keys(shownTraffic(recount.overview(WEEK))))
      const visitors = recount.series(WEEK, 'visitors')
      const before = recount.series(BEFORE, 'visitors')
      expect((await chart(page)).slice(1), way).toEqual(
        datesOf(WEEK).map((date, index) => [dayName(date), count(visitors[index]!), count(before[index]!)]),
      )
      await expect
        .poll(() => rows(page, 'Pages'))
        .toEqual(recount.breakdown(WEEK, 'path').map(row => [row.value, count(row.visitors)]))
      // A filter of the reader, by a click.
      await page.click('section[aria-label="Pages"] ol li button >> nth=0')
      await expectTraffic(page, recount.overview(WEEK, { path: '/pricing' }), way)
      for (const hidden of ['Channels', 'Countries', 'Devices', 'Goals']) {
        expect(await page.$(`section[aria-label="${hidden}"]`), hidden).toBeNull()
      }
      expect(await page.textContent('body'), way).not.toMatch(/Money|Revenue|MRR|€|Germany|Google|People/)
      const found = await Promise.all(received)
      expect(found.length).toBeGreaterThan(3)
      expect(found.flat(), way).toEqual([])
      await context.close()
    }
  })

  test('pages of other sections show nothing of them', async () => {
    const { site } = berlin
    const { url } = (await site.call('POST', '/shares', { name: 'Again', sections: ['traffic', 'pages'] }))
      .body
    const page = await (await visit.person()).newPage()
    await page.goto(url)
    await page.waitForSelector('figure table tbody tr')
    for (const path of ['money', 'people', 'errors', 'events', `people/${ADA}`]) {
      await page.goto(`${visit.origin}/share/${site.id}/${path}?${queryOf(WEEK)}`)
      await page.waitForSelector('main >> text=/not shared with you|does not exist/')
      expect(await page.textContent('body'), path).not.toMatch(/€|Lovelace|Germany|cart is undefined|signup/)
    }
  })
})

describe('what there is no number for, and numbers that are rounded once', () => {
  test('a share of visits has the decimals of the API: rounded again it would be a digit off', async () => {
    const { page } = member
    // 980 of 1,336 visits are 73.353%; the API has 73.35.
    const { bounce_rate: rate } = berlin.recount.overview({ from: '2026-03-03', to: '2026-04-01' })
    expect(rate).toBe(73.35)
    await open(page, berlin, '?range=last_30_days&compare=none')
    await page.waitForSelector('main strong[title]')
    expect((await figures(page))['Bounce rate']![0]).toBe('73.35%')
  })

  test('hours that the compared period does not have are empty, not 0', async () => {
    const { page } = member
    await open(page, berlin, '?range=today&compare=previous')
    const { body } = await berlin.site.call(
      'GET',
      '/stats/timeseries?metric=visitors&range=today&compare=previous',
    )
    expect(body.previous_labels).toHaveLength(13)
    const before = (await chart(page)).slice(1).map(row => row[2])
    expect(before.slice(13)).toEqual(Array(11).fill('–'))
  })

  test('page titles have no row for hits without a title', async () => {
    const { page } = member
    await page.goto(`${visit.origin}/sites/${berlin.site.domain}/titles?${queryOf(WEEK)}`)
    await page.waitForSelector('table[aria-label="Page titles"] tbody tr')
    const { data } = (await berlin.site.call('GET', `/stats/page-titles?${queryOf(WEEK)}`)).body
    const shown = await page.$$eval('table[aria-label="Page titles"] tbody tr', trs =>
      trs.map(tr => tr.querySelector('bdi')?.textContent ?? '(none)'),
    )
    expect(shown).toEqual(data.map(({ title }: { title: string }) => title))
  })
})
