import { beforeAll, expect, test } from 'vitest'
import { ofFile } from '../support/of-file.ts'
import { recordNewPayment } from '../support/payments.ts'
import { event, item, type Json, onDay, price, subscription } from '../support/stripe.ts'
import { NOW, revenueOfFile } from './revenue-shop.ts'
import { ADA, BEN, CAI, hit } from './stats-site.ts'

const JANUARY = 'from=2026-01-01&to=2026-01-31'

// Sums, changes and breakdowns with filters: test/stats/money/recount.test.ts.

const revenue = revenueOfFile()
const read = (path: string) => revenue.read(site, `/stats/money${path}`)
const values = async (path: string) =>
  Object.fromEntries((await read(path)).data.map((row: Json) => [row.value, row]))

const subscribed = (id: string, customer: string, day: number, amount: number, more: Json = {}) =>
  event(
    'customer.subscription.updated',
    subscription({ id, customer, items: [item(price(amount))], ...more }),
    onDay(day),
  )

const site = ofFile(() => revenue.shop())
beforeAll(async () => {
  const google = { source: 'Google', channel: 'Organic Search', country: 'DE' }
  const bing = { source: 'Bing', channel: 'Organic Search' }
  await revenue.store([
    hit(site, '2026-01-02T09:00:00Z', { visitorId: ADA, url: '/blog' }, google),
    hit(site, '2026-01-04T09:00:00Z', { visitorId: ADA, url: '/buy' }, bing),
    hit(site, '2026-01-03T09:00:00Z', { visitorId: BEN, url: '/buy' }, bing),
  ])
  const paid = (transaction_id: string, day: string, amount: number, fields: Json = {}) =>
    revenue.pay(site, { transaction_id, amount, timestamp: `2026-01-${day}T12:00:00Z`, ...fields })
  const ada = { customer_id: 'cus_a', visitor_id: ADA, email: 'ada@example.com' }
  await paid('a1', '04', 1000, { ...ada, name: 'Ada' })
  await paid('a2', '20', 3000, { ...ada, name: 'Ada Lovelace' })
  await paid('b1', '05', 500, { email: 'Ben@example.com', visitor_id: BEN })
  await paid('b2', '06', 700, { email: 'ben@example.com', visitor_id: BEN, refunded: true })
  await paid('n1', '07', 900)
  await revenue.deliverAll(site, [
    subscribed('sub_a', 'cus_a', 5, 2000, { metadata: { visitor_id: ADA } }),
    subscribed('sub_c', 'cus_c', 6, 1000),
    subscribed('sub_c', 'cus_c', 12, 1500),
    subscribed('sub_c', 'cus_c', 25, 1500, { status: 'canceled' }),
  ])
})

test('money: viewers see no mail addresses of payers, and find nobody by them', async () => {
  const viewer = await revenue.colleague('viewer')
  const asViewer = async (path: string) => (await revenue.ask(`${site.path}${path}`, viewer)).json
  const owned = (await read(`/changes?${JANUARY}`)).data[3]
  expect(owned).toMatchObject({ customer: 'c:cus_a', name: 'Ada Lovelace', email: 'ada@example.com' })
  const { data } = await asViewer('/stats/money/customers')
  expect(data).toHaveLength(4)
  expect(data).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: 'c:cus_a', name: 'Ada Lovelace' })]),
  )
  const lists = [
    '/stats/money/customers?search=example',
    '/stats/money/subscriptions',
    '/stats/money/changes?',
  ]
  for (const path of [...lists, '/explain?read=money&metric=revenue']) {
    const range = path.includes('?') ? `&${JANUARY}` : ''
    const text = JSON.stringify(await asViewer(`${path}${range}`))
    expect(text, path).toContain('"data":[')
    expect(text, path).not.toContain('@')
  }
  expect((await asViewer('/stats/money/customers?search=example.com')).data).toEqual([])
  expect((await read('/customers?search=example.com')).data).toHaveLength(2)
})

test('money: sums, rates and averages of the range, and of the compared period', async () => {
  const compared = 'compare=custom&compare_from=2026-01-01&compare_to=2026-01-10'
  expect(await read(`?from=2026-01-11&to=2026-01-31&${compared}`)).toMatchObject({
    ...{ currency: 'USD', days: 21, mrr: 2000, arr: 24_000, mrr_at_start: 3000, net_new_mrr: -1000 },
    ...{ new_mrr: 0, expansion_mrr: 500, contraction_mrr: 0, churned_mrr: -1500, reactivation_mrr: 0 },
    ...{ mrr_growth_rate: -33.33, mrr_churn_rate: 50, net_mrr_churn_rate: 33.33 },
    ...{ active_subscriptions: 1, active_customers: 1, customers_at_start: 2, churned_customers: 1 },
    ...{ customer_churn_rate: 50, arpa: 2000, revenue: 3000, payments: 1 },
    ...{ paying_customers: 1, new_customers: 0, revenue_per_paying_customer: 3000 },
    // 2,000 ÷ (1 ÷ 2 in 21 days, to a month of 365 ÷ 12 days)
    lifetime_value: Math.round((2000 * 2 * 21 * 12) / 365),
    now: { mrr: 2000, arr: 24_000, active_subscriptions: 1, active_customers: 1 },
    previous: {
      ...{ mrr: 3000, mrr_at_start: 0, mrr_growth_rate: 0, new_mrr: 3000, started_customers: 2 },
      ...{ lifetime_value: null, revenue: 2400, payments: 3, paying_customers: 3, new_customers: 3 },
      revenue_per_paying_customer: 800,
    },
    comparison: { from: '2026-01-01', to: '2026-01-10' },
  })
})

const ids = async (query: string) => (await read(`/customers?${query}`)).data.map((row: Json) => row.id)

test('customers: have their payments, their MRR and their first visit', async () => {
  const { data, meta } = await read('/customers')
  expect(meta.total).toBe(4)
  const firstVisit = { at: '2026-01-02T09:00:00.000Z', source: 'Google', entry_path: '/blog' }
  expect(data[0]).toEqual({
    ...{ id: 'c:cus_a', customer_id: 'cus_a', email: 'ada@example.com', name: 'Ada Lovelace' },
    ...{ status: 'active', payments: 2, revenue: 4000, mrr: 2000, subscriptions: 1 },
    ...{ first_payment_at: '2026-01-04T12:00:00.000Z', last_payment_at: '2026-01-20T12:00:00.000Z' },
    subscribed_at: '2026-01-05T12:00:00.000Z',
    first_visit: expect.objectContaining(firstVisit),
  })
  const [churned, ben] = ['c:cus_c', 'e:ben@example.com'].map(id => data.find((row: Json) => row.id === id))
  expect(churned).toMatchObject({ status: 'churned', payments: 0, mrr: 0 })
  expect(ben).toMatchObject({
    ...{ status: 'one_time', payments: 1, revenue: 500, subscribed_at: null },
    last_payment_at: '2026-01-06T12:00:00.000Z',
  })
})

test.each([
  ['search=ADA', ['c:cus_a']],
  ['search=cus_', ['c:cus_a', 'c:cus_c']],
  ['search=%25', []],
  ['status=churned', ['c:cus_c']],
  ['status=one_time&sort=revenue&order=asc', ['e:ben@example.com', 'p:n1']],
  ['sort=last_payment', ['c:cus_a', 'p:n1', 'e:ben@example.com', 'c:cus_c']],
  ['sort=first_payment&order=asc&per_page=2', ['c:cus_a', 'e:ben@example.com']],
  ['source=Google', ['c:cus_a']],
  ['source=(none)', ['p:n1', 'c:cus_c']],
  ['entry_path[contains]=bu', ['e:ben@example.com']],
  ['entry_path[starts_with]=/b&entry_path[ends_with]=og', ['c:cus_a']],
  ['source[is_not]=Google&source[is_not]=Bing&sort=revenue', ['p:n1', 'c:cus_c']],
  ['source[is_not]=(none)&sort=revenue&order=asc', ['e:ben@example.com', 'c:cus_a']],
  ['source[does_not_contain]=oo&entry_path[is_not]=(none)', ['e:ben@example.com']],
  ['source[contains]=zz&source[contains]=oogl', ['c:cus_a']],
])('customers: are found by %s', async (query, expected) => {
  expect(await ids(query)).toEqual(expected)
})

test('customers: refuse with 422 what they do not know', async () => {
  const patterns = ['source[matches_regex]=a', 'source[matches_pattern]=*']
  for (const query of ['status=late', 'sort=name', 'search=', 'page=0', ...patterns])
    expect((await revenue.ask(`${site.path}/stats/money/customers?${query}`)).status, query).toBe(422)
})

test('subscriptions: as they are now, with when they counted', async () => {
  const { data } = await read('/subscriptions?sort=started&order=asc')
  expect(data).toMatchObject([
    {
      ...{ subscription_id: 'sub_a', customer_id: 'cus_a', name: 'Ada Lovelace', status: 'active' },
      ...{ mrr: 2000, is_ending: false, started_at: '2026-01-05T12:00:00.000Z', ended_at: null },
      first_visit: { source: 'Google' },
    },
    {
      ...{ subscription_id: 'sub_c', status: 'canceled', mrr: 0, ended_at: '2026-01-25T12:00:00.000Z' },
      first_visit: null,
    },
  ])
  expect((await read('/subscriptions?status=canceled')).meta.total).toBe(1)
  expect((await read('/subscriptions?search=lovelace')).meta.total).toBe(1)
  const idsOf = async (query: string) =>
    (await read(`/subscriptions?${query}`)).data.map((row: Json) => row.subscription_id)
  expect(await idsOf('source=Google')).toEqual(['sub_a'])
  expect(await idsOf('source[is_not]=Google')).toEqual(['sub_c'])
})

test('lifetime value: by the first visit of each customer', async () => {
  const row = (value: string, customers: number, sum: number, average: number, mrr: number) => ({
    ...{ value, customers, revenue: sum, lifetime_value: average, mrr },
  })
  expect((await read('/lifetime-value?dimension=source')).data).toEqual([
    row('Google', 1, 4000, 4000, 2000),
    row('(none)', 2, 900, 450, 0),
    row('Bing', 1, 500, 500, 0),
  ])
  expect((await read('/lifetime-value?dimension=source&country=DE')).data).toHaveLength(1)
  expect((await revenue.ask(`${site.path}/stats/money/lifetime-value?dimension=path`)).status).toBe(422)
})

const customer = async (id: string) =>
  (await read('/customers?per_page=100')).data.find((row: Json) => row.id === id)

test('customers keep up: with payments that come late, are deleted, and whose visitor appears later', async () => {
  const pay = (transaction_id: string, at: string) =>
    revenue.pay(site, { transaction_id, amount: 100, customer_id: 'late', visitor_id: CAI, timestamp: at })
  await pay('l2', '2026-02-02T00:00:00Z')
  await pay('l1', '2026-02-01T00:00:00Z')
  expect(await customer('c:late')).toMatchObject({
    ...{ payments: 2, revenue: 200, first_visit: null },
    ...{ first_payment_at: '2026-02-01T00:00:00.000Z', last_payment_at: '2026-02-02T00:00:00.000Z' },
  })
  const visit = (day: string, url: string, source: string) =>
    revenue.store([hit(site, `2026-01-${day}T10:00:00Z`, { visitorId: CAI, url }, { source })])
  await visit('31', '/later', 'Mail')
  expect((await customer('c:late')).first_visit).toMatchObject({ source: 'Mail' })
  await visit('30', '/first', 'Ad')
  expect((await customer('c:late')).first_visit).toMatchObject({ source: 'Ad', entry_path: '/first' })
  const sources = await values('/breakdown?from=2026-02-01&to=2026-02-02&dimension=source')
  expect(sources.Mail).toMatchObject({ revenue: 200 })
  const remove = (transaction_id: string) =>
    revenue.call('DELETE', `${site.path}/payments`, { transaction_id })
  expect((await remove('l2')).status).toBe(200)
  const left = { revenue: 100, last_payment_at: '2026-02-01T00:00:00.000Z' }
  expect(await customer('c:late')).toMatchObject(left)
  expect((await remove('l1')).status).toBe(200)
  expect(await customer('c:late')).toBeUndefined()
})

test('customers keep up: with amounts of any size', async () => {
  const other = await revenue.shop()
  const payment = { amountMinor: Number.MAX_SAFE_INTEGER, customerId: 'rich', paidAt: new Date(NOW) }
  for (let count = 0; count < 3; count++) await recordNewPayment(revenue.api.services.db, other, payment)
  const { data } = await revenue.read(other, '/stats/money/customers')
  const exactly = String(3n * BigInt(Number.MAX_SAFE_INTEGER))
  expect(data[0]).toMatchObject({ revenue: null, revenue_exact: exactly })
  const [row] = (await revenue.read(other, '/stats/money/lifetime-value?dimension=channel')).data
  expect(row).toMatchObject({ revenue: null, lifetime_value: null })
  expect(await revenue.read(other, '/stats/money?range=today')).toMatchObject({
    revenue: Number.MAX_SAFE_INTEGER,
    payments: 3,
  })
})
