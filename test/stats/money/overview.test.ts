import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { hit, type StatsSite, useStats } from '../../contract/stats-site.ts'

const stats = useStats(undefined, '2026-04-08T09:07:00Z')

const connect = ({ path }: StatsSite) => {
  const body = { provider: 'stripe', webhook_secret: 'x' }
  return stats.api.call('PUT', `${path}/processor`, { token: stats.owner.token, body })
}

test('overview MRR: mrr is the sum of movements in the range; mrr_per_visitor is the total at its end divided by the visitors', async () => {
  const site = await stats.site('Europe/Berlin')
  const { db } = stats.api.services
  await connect(site)
  const overview = (query: string) => stats.read(site, `/overview?${query}`)
  const move = (at: string, amount: number, currency = 'USD') => db`
    insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor)
    values (${site.siteNo}, ${at}, 'sub', 'start', ${currency}, ${amount})`
  await move('2026-01-01T00:00:00Z', 10_000)
  // Still the previous day in UTC; the clocks changed that night.
  await move('2026-03-28T23:00:00Z', 500)
  await move('2026-03-29T21:59:59.999Z', -800)
  await move('2026-03-29T22:00:00Z', 5_000)
  await move('2026-03-29T10:00:00Z', 70_000, 'EUR')
  await stats.store(
    Array.from({ length: 3 }, () => hit(site, '2026-03-29T10:00:00Z', { visitorId: randomUUID() })),
  )
  const answer = await overview('from=2026-03-29&to=2026-03-29')
  expect(answer).toMatchObject({ mrr: -300, mrr_per_visitor: 3_233, conversion_rate: 0, new_customers: 0 })
  expect(answer.previous).toMatchObject({ mrr: 0, mrr_per_visitor: 0 })
  expect('revenue' in answer).toBe(false)
  const all = await overview('from=2026-01-01&to=2026-03-30')
  expect(all).toMatchObject({ mrr: 14_700, mrr_per_visitor: 4_900 })
  await stats.api.call('DELETE', `${site.path}/processor`, { token: stats.owner.token })
  expect('mrr' in (await overview('from=2026-03-29&to=2026-03-29'))).toBe(false)
})

test('overview MRR: recurring revenue of old sessions passes a filter', async () => {
  const site = await stats.site()
  await connect(site)
  const visit = (at: string, source: string) => hit(site, at, {}, { source })
  const today = '2026-04-08T08:00:00Z'
  await stats.store([visit('2026-01-01T08:00:00Z', 'Google'), visit(today, 'Bing'), visit(today, 'Bing')])
  await stats.api.services.db`
    insert into mrr_movements (site_no, at, subscription_id, kind, currency, amount_minor, visitor_no, session_no, session_at)
    select site_no, started_at, 'sub', 'start', 'USD', 5000, visitor_no, session_no, started_at
    from sessions where site_no = ${site.siteNo} and source = 'Google'`
  for (const query of [
    ...['', 'source=Google&source=Bing', 'source[matches_regex]=^(Google|Bing)$'],
    ...['source[matches_pattern]=**', 'source[is_not]=nothing'],
  ]) {
    expect((await stats.read(site, `/overview?${query}`)).mrr_per_visitor, query).toBe(2500)
  }
  expect((await stats.read(site, '/overview?from=1970-01-01&to=9998-12-31')).pageviews).toBe(3)
})

test('site list: revenue of the period is shown by bucket, in the time zone and currency of each site', async () => {
  const member = await stats.api.member()
  const call = (method: string, path: string, body?: unknown) =>
    stats.api.call(method, path, { token: member.token, body })
  const paid = await call('POST', '/api/sites', { domain: 'paid.example', timezone: 'Asia/Kathmandu' })
  await call('POST', '/api/sites', { domain: 'unpaid.example' })
  await call('PATCH', `/api/sites/${paid.body.id}/currency`, { currency: 'JPY' })
  const pay = (amount: number, timestamp: string, refunded = false) =>
    call('POST', `/api/sites/${paid.body.id}/payments`, {
      ...{ amount, currency: 'JPY', transaction_id: randomUUID(), timestamp, refunded },
    })
  // In Kathmandu it is 14:52 on 8 April; the hour began at 08:15 UTC.
  await pay(1, '2026-04-08T08:15:00Z')
  await pay(20, '2026-04-08T08:14:59.999Z')
  await pay(300, '2026-04-07T18:14:59Z')
  await pay(4_000, '2026-04-07T18:15:00Z')
  await pay(50_000, '2026-04-08T09:00:00Z', true)
  await pay(600_000, '2026-03-09T18:15:00Z')
  await pay(7_000_000, '2026-03-09T18:14:59Z')

  const item = async (period: string, domain = 'paid.example') =>
    (await call('GET', `/api/sites?period=${period}`)).body.find(
      (site: { domain: string }) => site.domain === domain,
    )
  const zeros = (count: number) => Array(count).fill(0)
  const hours = await item('24h')
  expect(hours.revenue_sparkline).toEqual([...zeros(8), 300, 4_000, ...zeros(12), 20, 1])
  expect(hours.revenue).toBe(4_321)
  const days = await item('7d')
  expect([days.revenue, days.revenue_sparkline]).toEqual([4_321, [...zeros(5), 300, 4_021]])
  const month = await item('30d')
  expect(month.revenue).toBe(604_321)
  expect(month.revenue_sparkline).toHaveLength(month.sparkline.length)
  expect(month).toMatchObject({ currency: 'JPY', has_revenue: true })
  const unpaid = { revenue: 0, revenue_sparkline: zeros(24), currency: 'USD', has_revenue: false }
  expect(await item('24h', 'unpaid.example')).toMatchObject(unpaid)
})
