import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveFileFacts, storeFileFacts } from '../../../src/money/import/file-facts.ts'
import { reconcilePayments } from '../../../src/money/sales/reconcile-payments.ts'
import { factsOf } from '../../../src/outgoing/transfer/money/row-facts.ts'
import { startRevenue, TEST_RANGE } from '../../contract/revenue-shop.ts'
import type { StatsSite } from '../../contract/stats-site.ts'
import { dbOf } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { ofFile } from '../../support/of-file.ts'
import { sweep } from '../../support/runs.ts'
import { checkout, event, invoice, type Json, onDay, subscription } from '../../support/stripe.ts'
import { eraseNow, TINY, tracesOf } from './steps.ts'

const now = new Date('2026-03-18T12:00:00Z')

const revenue = ofFile(startRevenue)
const db = dbOf(ofFile(async () => ({ db: revenue.api.services.db })))

const visit = (site: StatsSite, visitorId: string, at: string, url: string) =>
  revenue.store([enrichedHit(site, Date.parse(at), { visitorId, url })])

/** Numbers of money, which an erasure must not change. */
async function numbersOf(site: StatsSite) {
  const { revenue: sum, payments, recurring_revenue, mrr } = await revenue.overview(site)
  const [counts] = await db`
    select
      (select count(*)::int from revenue where site_no = ${site.siteNo} and is_first_of_customer) as "firstPayments",
      (select count(distinct customer)::int from payments where site_no = ${site.siteNo}) as customers`
  const log = (await revenue.log(site)).filter(line => /payment|subscription|trial/.test(line))
  return { sum, payments, recurring_revenue, mrr, ...counts, log, movements: await revenue.movements(site) }
}

const revenueOf = async (site: StatsSite, source: string) =>
  (await revenue.overview(site, `${TEST_RANGE}&utm_source=${source}`)).revenue

async function expectNoTraces(...texts: string[]) {
  for (const text of texts) expect(await tracesOf(db, text), text).toEqual([])
}

const uniqueEmail = () => `ada-${randomUUID().slice(0, 8)}@example.com`

test.each(
  sweep([
    ['an e-mail address', { email: true }],
    ['a customer id', { customer_id: true, email: true }],
    ['the visitor alone', {}],
  ]),
)(
  'erasure and money: payments of a customer known by %s keep every number and lose the person',
  { tags: ['full'] },
  async (_by, known: Json) => {
    const site = await revenue.site()
    const [ada, ben] = [randomUUID(), randomUUID()]
    const email = uniqueEmail()
    const customer = `c-${randomUUID().slice(0, 8)}`
    const ids = { ...(known.email && { email }), ...(known.customer_id && { customer_id: customer }) }
    const own = { name: `Ada ${customer}`, ...ids }
    await visit(site, ada, '2026-03-01T10:00:00Z', '/?utm_source=letter')
    await visit(site, ben, '2026-03-01T10:00:00Z', '/?utm_source=other')
    const pay = (fields: Json) => revenue.pay(site, { timestamp: '2026-03-02', ...fields })
    await pay({ ...own, visitor_id: ada })
    await pay({ ...own, visitor_id: ada, timestamp: '2026-03-05', renewal: true, session_id: randomUUID() })
    // From the server, without a visitor.
    if (known.email) await pay({ ...own, email: email.toUpperCase(), timestamp: '2026-03-09' })
    await pay({ email: 'ben@example.com', visitor_id: ben })
    const before = await numbersOf(site)
    expect(await revenueOf(site, 'letter')).toBe(2_000)
    await eraseNow(db, site, ada, now, TINY)
    expect(await numbersOf(site)).toEqual(before)
    expect(await revenueOf(site, 'letter')).toBe(0)
    expect(await revenueOf(site, 'other')).toBe(1_000)
    await expectNoTraces(ada, email, own.name, customer)
    const payments = await revenue.payments(site)
    const others = payments.filter(({ email }) => email === 'ben@example.com')
    expect(others.map(({ visitor_id }) => visitor_id)).toEqual([ben])
  },
)

test('erasure and money: payments in the session of a user lose the person, and those of other sessions of the visitor do not', {
  tags: ['full'],
}, async () => {
  const site = await revenue.site()
  const visitorId = randomUUID()
  const identity = { identifier: `user-${randomUUID()}` }
  await visit(site, visitorId, '2026-03-01T10:00:00Z', '/?utm_source=anonymous')
  await revenue.store([
    enrichedHit(site, Date.parse('2026-03-03T10:00:00Z'), { visitorId, url: '/?utm_source=known' }),
    enrichedHit(site, Date.parse('2026-03-03T10:01:00Z'), { visitorId, type: 'identify', identity }),
  ])
  const paid = { visitor_id: visitorId }
  await revenue.pay(site, { ...paid, email: 'a@example.com', timestamp: '2026-03-01T11:00:00Z' })
  await revenue.pay(site, { ...paid, email: 'b@example.com', timestamp: '2026-03-03T11:00:00Z' })
  await revenue.pay(site, { customer_id: identity.identifier, timestamp: '2026-03-04' })
  const before = await numbersOf(site)
  await eraseNow(db, site, identity.identifier, now)
  expect(await numbersOf(site)).toEqual(before)
  const payments = await revenue.payments(site)
  expect(payments.map(({ visitor_id }) => visitor_id)).toEqual([null, null, visitorId])
  expect(payments[2]!.email).toBe('a@example.com')
  expect(await revenueOf(site, 'anonymous')).toBe(1_000)
  await expectNoTraces(identity.identifier)
})

test('erasure and money: a visitor who is known from a payment alone can be erased', async () => {
  const site = await revenue.site()
  const visitorId = randomUUID()
  await revenue.pay(site, { visitor_id: visitorId })
  await eraseNow(db, site, visitorId, now)
  await expectNoTraces(visitorId)
  // The payment does not find the visitor again.
  await visit(site, visitorId, '2026-03-18T11:00:00Z', '/?utm_source=later')
  expect(await revenueOf(site, 'later')).toBe(0)
})

test('erasure and money: subscriptions and payments of the processor keep every number, also when more events come', {
  tags: ['full'],
}, async () => {
  const site = await revenue.shop()
  const visitorId = randomUUID()
  const [email, guest] = [uniqueEmail(), uniqueEmail()]
  const name = `Ada ${randomUUID()}`
  await visit(site, visitorId, '2026-01-01T09:00:00Z', '/?utm_source=letter')
  const base = subscription({ metadata: { visitor_id: visitorId } })
  const payer = { customer_email: email, customer_name: name }
  const billed = { subscription: base.id, customer: base.customer, ...payer }
  const bill = (day: number, billing_reason: string) =>
    event('invoice.paid', invoice({ ...billed, paidAt: onDay(day), billing_reason }), onDay(day))
  const buyer = { customer: null, customer_details: { email: guest, name } }
  const sale = (day: number) => {
    const bought = checkout({ ...buyer, metadata: { visitor_id: visitorId } })
    return event('checkout.session.completed', bought, onDay(day))
  }
  await revenue.deliverAll(site, [
    event('customer.subscription.created', base, onDay(2)),
    bill(2, 'subscription_create'),
    bill(33, 'subscription_cycle'),
    sale(4),
    sale(5),
  ])
  const before = await numbersOf(site)
  expect(before).toMatchObject({ payments: 4, mrr: 1000, customers: 2, firstPayments: 2 })
  await eraseNow(db, site, visitorId, now, TINY)
  expect(await numbersOf(site)).toEqual(before)
  await expectNoTraces(visitorId, email, guest, name)
  const query = `${TEST_RANGE}&utm_source=letter`
  expect(await revenue.overview(site, query)).toMatchObject({ revenue: 0, mrr: 0 })

  // Payments that are derived again from what the processor has reported stay as they are.
  const stored = await revenue.payments(site)
  for (const { transaction_id } of stored)
    await db.begin(tx => reconcilePayments(tx, site, [transaction_id], transaction_id))
  expect(await revenue.payments(site)).toEqual(stored)
  // Further events of the customer are new data.
  await revenue.deliverAll(site, [bill(61, 'subscription_cycle')])
  expect(await numbersOf(site)).toMatchObject({ payments: 5, customers: 2, firstPayments: 2 })
})

test('erasure and money: a file that is imported again does not bring back a person who was erased', {
  tags: ['full'],
}, async () => {
  const site = await revenue.site()
  const [visitorId, other] = [randomUUID(), randomUUID()]
  const [email, guest] = [uniqueEmail(), uniqueEmail()]
  const name = `Ada ${randomUUID()}`
  const customer = `c-${randomUUID().slice(0, 8)}`
  const paid = (id: string, day: number, fields: Json) => {
    const row = { type: 'payment', id: `${id}-${site.siteNo}`, at: Date.UTC(2026, 1, day) }
    return { ...row, amount: 1_000, currency: 'USD', ...fields }
  }
  const monthly = { type: 'subscription', status: 'active', interval: 'month' }
  const rows = [
    paid('s', 1, { customer, visitor: visitorId, ...monthly }),
    paid('a', 1, { customer, email, name, subscription: `s-${site.siteNo}` }),
    paid('b', 2, { email: guest, name, visitor: visitorId, refunded: 300 }),
    paid('c', 3, { email: guest.toUpperCase(), name }),
    paid('d', 4, { visitor: visitorId, name }),
    paid('e', 5, { email: 'ben@example.com', name: 'Ben', visitor: other }),
  ]
  const bring = async (given: Json[]) => {
    const facts = given.flatMap(row => factsOf(row as Parameters<typeof factsOf>[0]))
    await storeFileFacts(db, site.siteNo, facts)
    await deriveFileFacts({ db, log: silentLog }, site.siteNo)
  }
  await bring(rows)
  const before = await numbersOf(site)
  await eraseNow(db, site, visitorId, now, TINY)
  const stored = await revenue.payments(site)
  await bring(rows)
  expect(await revenue.payments(site)).toEqual(stored)
  // Rows that no file had before, of the time before the erasure, and of the time after it.
  const seventh = paid('g', 7, { customer, email: uniqueEmail(), name })
  await bring([...rows, paid('f', 6, { email: guest, name }), seventh])
  await expectNoTraces(visitorId, email, guest, name)
  const { payments, sum, mrr } = await numbersOf(site)
  expect({ payments, sum, mrr }).toEqual({ payments: 7, sum: before.sum + 2_000, mrr: before.mrr })
  await bring([paid('h', 1, { at: now.getTime() + 1, email: guest, name })])
  expect((await revenue.payments(site)).filter(payment => payment.name === name)).toHaveLength(1)
})
