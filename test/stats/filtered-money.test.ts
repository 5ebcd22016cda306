import { expect, test } from 'vitest'
import { hit, type StatsSite, useStats } from '../contract/stats-site.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 2, 10, 12)
const BUYER = '00000000-0000-4000-8000-000000000002'

let site: StatsSite
const stats = useStats(async () => {
  site = await stats.site()
  const body = { provider: 'stripe', webhook_secret: 'whsec_test' }
  await stats.api.call('PUT', `${site.path}/processor`, { token: stats.owner.token, body })
  const visit = (at: number, source: string, page = {}) =>
    hit(site, new Date(at).toISOString(), page, { source })
  await stats.store([
    visit(NOW - 100 * 24 * HOUR, 'Google'),
    visit(NOW - HOUR, 'Bing', { visitorId: BUYER, url: '/home', title: 'Home' }),
    visit(NOW - HOUR, 'Bing', { url: '/other' }),
  ])
  await stats.api.services.db`
    insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at)
    select site_no, started_at, 'sub', 'start', 'USD', 5000, visitor_no, session_no, started_at
    from sessions where site_no = ${site.siteNo} and source = 'Google'`
  await pay({ amount: 777, transaction_id: 't1', visitor_id: BUYER })
}, '2026-03-10T12:00:00Z')

const pay = (fields: object) => {
  const body = { currency: 'USD', ...fields }
  return stats.api.call('POST', `${site.path}/payments`, { token: stats.owner.token, body })
}
const overview = (query: string) => stats.read(site, `/overview?${query}`)

test('filtered money: recurring revenue of old sessions passes a filter', async () => {
  for (const query of [
    ...['', 'source=Google&source=Bing', 'source[matches_regex]=^(Google|Bing)$'],
    ...['source[matches_pattern]=**', 'source[is_not]=nothing'],
  ]) {
    expect((await overview(query)).mrr_per_visitor, query).toBe(2500)
  }
})

test('filtered money: a payment has no page, so no page filter keeps its session', {
  tags: ['full'],
}, async () => {
  expect(await overview('path[is_not]=/home')).toMatchObject({ sessions: 1, visitors: 1, revenue: 0 })
  expect(await overview('title=(none)')).toMatchObject({ sessions: 1, pageviews: 1, revenue: 0 })
  expect(await overview('path=/home')).toMatchObject({ sessions: 1, revenue: 777 })
  expect(await overview('event_name=payment')).toMatchObject({ sessions: 1, pageviews: 0, revenue: 777 })
})

test('filtered money: a breakdown shows the revenue that a filter on its value keeps', async () => {
  const { data } = await stats.read(site, '/stats/breakdown?dimension=title')
  expect(data).toEqual([
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
  const answer = await stats.ask(`${site.path}/${path}?${query}`)
  expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]])
})

test('overview: accepts any range', async () => {
  expect((await overview('from=1970-01-01&to=9998-12-31')).pageviews).toBe(3)
})
