import { expect, test } from 'vitest'
import { event, invoice, type Json, onDay } from '../support/stripe.ts'
import { revenueOfFile, TEST_RANGE } from './revenue-shop.ts'
import type { StatsSite } from './stats-site.ts'

const revenue = revenueOfFile()

const MONEY = ['payments', 'recurring_revenue', 'revenue']
const PROCESSOR = ['conversion_rate', 'mrr', 'mrr_per_visitor', 'new_customers']
/** Returns which of the optional fields are present, in this period and the previous one. */
function present(overview: Json) {
  const of = (each: Json) => [...MONEY, ...PROCESSOR].filter(name => name in each).sort()
  expect(of(overview)).toEqual(of(overview.previous))
  return of(overview)
}
const paid = (currency: string, amount_paid: number) =>
  event('invoice.paid', invoice({ currency, amount_paid, paidAt: onDay(5) }), onDay(5))
const on = (day: string, to = day) => `from=${day}&to=${to}`

test('overview revenue: revenue is present only when this range or the previous one has a payment', async () => {
  const site = await revenue.site()
  expect(present(await revenue.overview(site))).toEqual([])
  await revenue.pay(site, { timestamp: '2026-03-10T10:00:00Z', amount: 50 })
  expect(present(await revenue.overview(site, on('2026-03-09')))).toEqual([])
  expect(present(await revenue.overview(site, on('2026-03-12')))).toEqual([])
  const then = await revenue.overview(site, on('2026-03-10'))
  const after = await revenue.overview(site, on('2026-03-11'))
  expect(present(then)).toEqual(MONEY)
  expect(present(after)).toEqual(MONEY)
  expect(then).toMatchObject({ revenue: 50, previous: { revenue: 0, payments: 0 } })
  expect(after).toMatchObject({
    ...{ revenue: 0, recurring_revenue: 0, payments: 0 },
    previous: { revenue: 50, recurring_revenue: 0, payments: 1 },
  })
})

test('overview revenue: revenue is present when the payment was refunded, is in another currency, or is filtered out', async () => {
  const [refunded, other] = [await revenue.site(), await revenue.shop()]
  await revenue.pay(refunded, { refunded: true, timestamp: '2026-03-10T10:00:00Z', recurring: true })
  const nothing = { revenue: 0, recurring_revenue: 0, payments: 0 }
  expect(await revenue.overview(refunded, on('2026-03-10'))).toMatchObject(nothing)
  expect(await revenue.overview(refunded, `${on('2026-03-10')}&country=DE`)).toMatchObject(nothing)
  await revenue.deliverAll(other, [paid('eur', 1000)])
  expect(await revenue.overview(other, on('2026-01-05'))).toMatchObject({ ...nothing, new_customers: 0 })
  expect(await revenue.payments(other)).toMatchObject([{ currency: 'EUR', amount: 1000 }])
})

test('overview revenue: payments are summed by kind', async () => {
  const site = await revenue.site()
  const at = { timestamp: '2026-03-10T10:00:00Z' }
  for (const fields of [
    { amount: 1 },
    { amount: 20, recurring: true },
    { amount: 300, renewal: true },
    { amount: 4000, recurring: true, renewal: true },
    { amount: 50_000, is_free_trial: true },
    { amount: 600_000, recurring: true, refunded: true },
  ])
    await revenue.pay(site, { ...at, ...fields })
  expect(await revenue.overview(site, on('2026-03-10'))).toMatchObject({
    revenue: 1 + 20 + 300 + 4000 + 50_000,
    recurring_revenue: 20 + 300 + 4000,
    payments: 5,
    ...{ visitors: 0, sessions: 0, custom_events: 0, pageviews: 0 },
  })
  const range = on('2026-03-09', '2026-03-11')
  const series = await revenue.read(site, `/stats/timeseries?metric=revenue&${range}`)
  expect(series.values).toEqual([0, 54_321, 0])
})

test('overview subscription metrics: subscription metrics are present while a processor is connected, with or without payments', async () => {
  const site = await revenue.site()
  await revenue.pay(site, { timestamp: '2026-03-10T10:00:00Z' })
  expect(present(await revenue.overview(site, on('2026-03-10')))).toEqual(MONEY)
  await revenue.connect(site)
  expect(present(await revenue.overview(site, on('2026-03-10')))).toEqual([...MONEY, ...PROCESSOR].sort())
  expect(present(await revenue.overview(site, on('2026-03-01')))).toEqual(PROCESSOR)
  expect(await revenue.overview(site, on('2026-03-01'))).toMatchObject({
    ...{ mrr: 0, new_customers: 0, conversion_rate: 0, mrr_per_visitor: 0 },
    kpi: { metric: 'mrr', label: 'MRR change', currency: 'USD', static: false },
  })
  await revenue.call('DELETE', `${site.path}/processor`)
  expect(present(await revenue.overview(site, on('2026-03-10')))).toEqual(MONEY)
})

const change = (site: StatsSite, currency: string) =>
  revenue.call('PATCH', `${site.path}/currency`, { currency })

test('the currency of a site can change to that of existing payments, which then count', async () => {
  const site = await revenue.shop()
  await revenue.deliverAll(site, [paid('eur', 700), paid('eur', 700)])
  expect(await revenue.overview(site, TEST_RANGE)).toMatchObject({ revenue: 0, payments: 0 })
  expect((await change(site, 'GBP')).status).toBe(422)
  expect((await change(site, 'EUR')).status).toBe(200)
  const both = { revenue: 1400, payments: 2, new_customers: 2 }
  expect(await revenue.overview(site, TEST_RANGE)).toMatchObject(both)
  await revenue.deliverAll(site, [paid('gbp', 700)])
  expect((await change(site, 'GBP')).status).toBe(422)
  expect((await change(site, 'EUR')).status).toBe(200)
})
