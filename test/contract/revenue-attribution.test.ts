import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { enrichedHit } from '../support/hits.ts'
import type { Json } from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'
import type { StatsSite } from './stats-site.ts'

const revenue = revenueOfFile()

const MARCH = 'from=2026-03-01&to=2026-03-18'

interface Visit {
  visitorId: string
  at: string
  url: string
  referrer?: string
}

const visit = (site: StatsSite, ...visits: Visit[]) =>
  revenue.store(visits.map(({ at, ...fields }) => enrichedHit(site, Date.parse(at), fields)))

const OFFER = '/offer?utm_source=letter&utm_medium=email&utm_campaign=may&utm_content=top&utm_term=shoe'
/** Stores a session from a newsletter at 09:00 on the 9th, and one from a search from 10:00 to 10:20 on the 10th. */
const twoSessions = (site: StatsSite, visitorId: string) =>
  visit(
    site,
    { visitorId, at: '2026-03-09T09:00:00Z', url: OFFER },
    { visitorId, at: '2026-03-10T10:00:00Z', url: '/search', referrer: 'https://www.google.com/' },
    { visitorId, at: '2026-03-10T10:20:00Z', url: '/cart' },
  )

async function revenueOf(site: StatsSite, dimension: string, value: string) {
  const query = `${dimension}=${encodeURIComponent(value)}&${MARCH}`
  const filtered = (await revenue.overview(site, query)).revenue
  const { data } = await revenue.read(site, `/stats/breakdown?dimension=${dimension}&${MARCH}`)
  const row = data.find((each: Json) => each.value === value)
  return [filtered, row?.revenue ?? 0]
}

test('attribution: a payment belongs to its visitor, whatever its session_id', async () => {
  const [site, payer, other] = [await revenue.site(), randomUUID(), randomUUID()]
  await visit(site, { visitorId: other, at: '2026-03-10T10:00:00Z', url: '/?utm_source=other' })
  await visit(site, { visitorId: payer, at: '2026-03-10T10:00:00Z', url: '/?utm_source=own' })
  const paidBy = { visitor_id: payer, session_id: randomUUID() }
  await revenue.pay(site, { ...paidBy, timestamp: '2026-03-10T11:00:00Z' })
  expect(await revenueOf(site, 'utm_source', 'own')).toEqual([1000, 1000])
  expect(await revenueOf(site, 'utm_source', 'other')).toEqual([0, 0])
})

test('attribution: a visitor of another site with the same id is another visitor', async () => {
  const [one, two, unvisited] = [await revenue.site(), await revenue.site(), await revenue.site()]
  const visitorId = randomUUID()
  const visits = { visitorId, at: '2026-03-10T10:00:00Z' }
  await visit(one, { ...visits, url: '/?utm_source=one' })
  await visit(two, { ...visits, url: '/?utm_source=two' })
  const payment = { visitor_id: visitorId, timestamp: '2026-03-14' }
  for (const site of [one, two, unvisited]) expect((await revenue.pay(site, payment)).status).toBe(201)
  expect(await revenueOf(one, 'utm_source', 'one')).toEqual([1000, 1000])
  expect(await revenueOf(two, 'utm_source', 'two')).toEqual([1000, 1000])
  expect((await revenue.overview(unvisited, `${MARCH}&source=(none)`)).revenue).toBe(1000)
})

const day = 'from=2026-03-10&to=2026-03-10'

test('payment events are in the log at the time of the payment, and add no visitor, session or custom event', async () => {
  const [site, visitorId] = [await revenue.site(), randomUUID()]
  await twoSessions(site, visitorId)
  const trial = { visitor_id: visitorId, amount: 4999, is_free_trial: true }
  await revenue.pay(site, { ...trial, timestamp: '2026-03-10T10:10:00Z' })
  await revenue.pay(site, { visitor_id: randomUUID(), timestamp: '2026-03-10T15:00:00Z' })
  const { data, meta } = await revenue.read(site, `/stats/events?types=event&${day}`)
  expect(meta.total).toBe(3)
  expect(data[0]).toMatchObject({ event_name: 'payment', path: '' })
  const rows: Json[] = data.slice(1)
  expect(rows.map(row => row.event_name).sort()).toEqual(['free_trial', 'payment'])
  for (const row of rows) {
    expect(row).toMatchObject({
      ...{ event_type: 'event', visitor_id: visitorId, path: '', url: '', title: '', error_id: null },
      properties: { amount: '4999', currency: 'USD' },
    })
    expect(Date.parse(row.timestamp)).toBe(Date.parse('2026-03-10T10:10:00Z'))
  }
  expect(await revenue.overview(site, day)).toMatchObject({
    ...{ visitors: 1, sessions: 1, pageviews: 2, custom_events: 0, avg_session_seconds: 1200 },
  })
  const series = await revenue.read(site, `/stats/events/timeseries?types=event&${day}`)
  expect(series.types).toEqual(['event'])
  expect(series.series.event.reduce((sum: number, count: number) => sum + count, 0)).toBe(3)
  const custom = await revenue.read(site, `/stats/timeseries?metric=custom_events&${day}`)
  expect(new Set(custom.values)).toEqual(new Set([0]))
  expect((await revenue.call('GET', site.path)).body.has_data).toBe(true)
})

test('a site with payment events alone has no data', async () => {
  const site = await revenue.site()
  await revenue.pay(site, { visitor_id: randomUUID(), is_free_trial: true })
  expect((await revenue.call('GET', site.path)).body.has_data).toBe(false)
  expect(await revenue.overview(site, 'range=today')).toMatchObject({ visitors: 0, sessions: 0 })
})

test('payment events convert goals, and pass filters by goal and by name', async () => {
  const [site, payer, other] = [await revenue.shop(), randomUUID(), randomUUID()]
  await twoSessions(site, payer)
  await visit(site, { visitorId: other, at: '2026-03-10T12:00:00Z', url: '/' })
  await revenue.pay(site, { visitor_id: payer, amount: 70, timestamp: '2026-03-10T10:10:00Z' })
  await revenue.pay(site, { amount: 5, timestamp: '2026-03-10T10:10:00Z' })
  const goals = await revenue.read(site, '/goals?per_page=100')
  const goal = goals.data.find((each: Json) => each.match_value === 'payment')
  const free = goals.data.find((each: Json) => each.match_value === 'free_trial')
  expect(await revenue.overview(site, `${day}&goal=${goal.id}`)).toMatchObject({
    ...{ visitors: 1, sessions: 1, pageviews: 2, custom_events: 0, conversion_rate: 50, revenue: 70 },
  })
  expect(await revenue.overview(site, `${day}&goal=${free.id}`)).toMatchObject({
    ...{ visitors: 0, sessions: 0, conversion_rate: 0, revenue: 0 },
  })
  const report = await revenue.read(site, `/stats/goals?${day}&source=Google`)
  expect(report.find((row: Json) => row.id === goal.id)).toMatchObject({ conversions: 1, visitors: 1 })
  expect(report.find((row: Json) => row.id === free.id)).toMatchObject({ conversions: 0, visitors: 0 })
  expect(await revenue.overview(site, `${day}&event_name=payment`)).toMatchObject({
    ...{ sessions: 1, pageviews: 0, custom_events: 0, revenue: 70 },
  })
  const log = await revenue.read(site, `/stats/events?${day}&event_name=payment&source=Google`)
  expect(log.data).toMatchObject([{ event_name: 'payment', visitor_id: payer }])
})
