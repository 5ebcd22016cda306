import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { sumFilteredRevenue } from '../../src/stats/metrics/money.ts'
import { type Api, type Member, startApi } from '../support/api.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import type { TestSite } from '../support/sites.ts'

const NOW = Date.UTC(2026, 2, 10, 12)
const HOUR = 3_600_000

let api: Api
let owner: Member
let site: TestSite

const visitor = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

beforeAll(async () => {
  api = await startApi({ now: () => new Date(NOW) })
  api.services.rollups = inProcessPool(api.services.db)
  owner = await api.member()
  const { db } = api.services
  const made = await api.call('POST', '/api/sites', { token: owner.token, body: { domain: 'a.example' } })
  const [row] = await db`select site_no as "siteNo" from sites where id = ${made.body.id}`
  site = { siteNo: row!.siteNo, id: made.body.id, key: made.body.tracking_key }
  await api.call('PUT', '/api/sites/a.example/processor', {
    token: owner.token,
    body: { provider: 'stripe', webhook_secret: 'whsec_test' },
  })
  const longAgo = NOW - 100 * 24 * HOUR
  await storeHits(db, 0, [
    { ...enrichedHit(site, longAgo, { visitorId: visitor(1) }), source: 'Google' },
    {
      ...enrichedHit(site, NOW - HOUR, { visitorId: visitor(2), url: '/home', title: 'Home' }),
      source: 'Bing',
    },
    { ...enrichedHit(site, NOW - HOUR, { visitorId: visitor(3), url: '/other' }), source: 'Bing' },
  ])
  await db`
    insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at)
    select site_no, started_at, 'sub', 'start', 'USD', 5000, visitor_no, session_no, started_at
    from sessions where site_no = ${site.siteNo} and source = 'Google'`
  await api.call('POST', '/api/sites/a.example/payments', {
    token: owner.token,
    body: { amount: 777, currency: 'USD', transaction_id: 't1', visitor_id: visitor(2) },
  })
})
afterAll(() => api.close())

const overview = async (query: string) =>
  (await api.call('GET', `/api/sites/a.example/overview?${query}`, { token: owner.token })).body

test.each([
  '',
  'source=Google&source=Bing',
  'source[matches_regex]=^(Google|Bing)$',
  'source[matches_pattern]=**',
  'source[is_not]=nothing',
])('filtered money: recurring revenue of old sessions passes the filter %j', async query => {
  expect((await overview(query)).mrr_per_visitor).toBe(2500)
})

test.each([
  [['Bing'], '777'],
  [[''], '333'],
  [['Bing', ''], '1110'],
  [['nothing'], undefined],
])(
  'filtered money: many payments are joined to the same sessions as few, source %j',
  async (values, revenue) => {
    const { db } = api.services
    await api.call('POST', '/api/sites/a.example/payments', {
      token: owner.token,
      body: { amount: 333, currency: 'USD', transaction_id: 'without a visitor' },
    })
    const condition = { field: 'source', operator: 'is' as const, values }
    const resolved = {
      siteNo: site.siteNo,
      start: new Date(NOW - 24 * HOUR),
      end: new Date(NOW + HOUR),
      filters: { dimensions: [{ dimension: 'source' as const, condition }], property: undefined },
      goal: undefined,
    }
    const params = { currency: 'USD', bounds: [resolved.start] }
    for (const hasManyPayments of [false, true]) {
      const [found] = await sumFilteredRevenue(db, resolved, { params, hasManyPayments })
      expect(found?.revenue).toBe(revenue)
    }
  },
)

test('filtered money: a payment has no page, so no page filter keeps its session', async () => {
  expect(await overview('path[is_not]=/home')).toMatchObject({ sessions: 1, visitors: 1, revenue: 0 })
  expect(await overview('title=(none)')).toMatchObject({ sessions: 1, pageviews: 1, revenue: 0 })
  expect(await overview('path=/home')).toMatchObject({ sessions: 1, revenue: 777 })
  expect(await overview('event_name=payment')).toMatchObject({ sessions: 1, pageviews: 0, revenue: 777 })
})

test('filtered money: a breakdown shows the revenue that a filter on its value keeps', async () => {
  const { body } = await api.call('GET', '/api/sites/a.example/stats/breakdown?dimension=title', {
    token: owner.token,
  })
  expect(body.data).toEqual([
    expect.objectContaining({ value: '(none)', sessions: 1, revenue: 0 }),
    expect.objectContaining({ value: 'Home', sessions: 1, revenue: 777 }),
  ])
})

const times = (count: number, parameter: string) => Array.from({ length: count }, () => parameter).join('&')

test.each([
  ['overview', times(21, 'path[contains]=a'), 'path.contains'],
  ['overview', times(501, 'path=a'), 'path'],
  ['overview', times(21, 'path[matches_regex]=a'), 'path.matches_regex'],
  ['overview', times(15, `path[matches_regex]=${'(a|bb){99}'.repeat(8)}`), 'path.matches_regex'],
  ['stats/timeseries', 'metric=visitors&from=1970-01-01&to=9998-12-31', 'from'],
  ['stats/events/timeseries', 'from=1970-01-01&to=9998-12-31', 'from'],
  ['stats/page-titles/timeseries', 'title=a&from=1970-01-01&to=9998-12-31', 'from'],
])('stats: %s refuses a query that is too costly: %#', async (path, query, field) => {
  const answer = await api.call('GET', `/api/sites/a.example/${path}?${query}`, { token: owner.token })
  expect(answer.status).toBe(422)
  expect(Object.keys(answer.body.errors)).toEqual([field])
})

test('overview: accepts any range', async () => {
  expect((await overview('from=1970-01-01&to=9998-12-31')).pageviews).toBe(3)
})
