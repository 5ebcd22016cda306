import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EnrichedHit } from '../../src/ingestion/hit.ts'
import { STORE_RETRY, storeHits } from '../../src/ingestion/store/store.ts'
import { retry } from '../../src/lib/retry.ts'
import { deriveFileFacts, storeFileFacts } from '../../src/revenue/import/file-facts.ts'
import { setRefunded } from '../../src/revenue/ledger/change-payment.ts'
import { createPayment, removePayment } from '../../src/revenue/payments.ts'
import { inProcessorTransaction } from '../../src/revenue/transactions.ts'
import { factsOf } from '../../src/transfer/money/row-facts.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { silentLog } from '../support/log.ts'
import { createTestSite } from '../support/sites.ts'

const NOW = Date.UTC(2026, 2, 10, 12)
const DAY_MS = 86_400_000
const ROUNDS = 4

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

test('payments and hits: what both change of one customer is written, in whatever order they come', async () => {
  const { db } = database
  const site = { ...(await createTestSite(db)), timezone: 'UTC', currency: 'USD' }
  const services = { db, now: () => new Date(NOW), sayExisting() {} }
  const pay = (fields: object) =>
    createPayment(services, site, {
      ...{ amount: 100, currency: 'USD', transaction_id: randomUUID(), customer_id: 'shared' },
      ...{ renewal: false, refunded: false, is_free_trial: false, recurring: false },
      ...fields,
    } as Parameters<typeof createPayment>[2])
  const at = (day: number) => new Date(NOW - (60 - day) * DAY_MS).toISOString()
  const store = (partition: number, hit: EnrichedHit) =>
    retry(() => storeHits(db, partition, [hit]), STORE_RETRY)
  let recorded = 0
  for (let round = 0; round < ROUNDS; round++) {
    const visitors = Array.from({ length: 4 }, () => randomUUID())
    const gone = randomUUID()
    // Payments that wait for visitors, of two customers that have all of them.
    for (const [index, visitor_id] of visitors.entries()) {
      const customer_id = index % 2 === 0 ? 'shared' : 'other'
      await pay({ visitor_id, customer_id, timestamp: at(30 - round), transaction_id: `${round}/${index}` })
    }
    await pay({ timestamp: at(29 - round), transaction_id: gone })
    const visit = (visitorId: string, day: number) => enrichedHit(site, Date.parse(at(day)), { visitorId })
    const inAnyOrder: Promise<unknown>[] = [
      ...visitors.map((visitor, partition) => store(partition, visit(visitor, 40 - round))),
      pay({ timestamp: at(28 - round) }),
      pay({ timestamp: at(28 - round), customer_id: 'other' }),
      removePayment({ db, audit: async () => {} }, { ...site, id: site.id }, { transaction_id: gone }),
      inProcessorTransaction(db, site.siteNo, tx => setRefunded(tx, site, `${round}/0`, 50)),
    ]
    const outcomes = await Promise.allSettled(inAnyOrder)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    // Earlier sessions of all visitors move the first visits of both customers.
    await Promise.all([
      ...visitors.map((visitor, partition) => store(partition, visit(visitor, 20 - round))),
      pay({ timestamp: at(27 - round) }),
      pay({ timestamp: at(27 - round), customer_id: 'other' }),
    ])
    recorded += 8
  }
  const customers = await db`
    select customer, recorded::int, revenue_minor::int as revenue, first_visit_at as "firstVisitAt"
    from customers where site_no = ${site.siteNo} order by customer`
  const firstVisitAt = new Date(at(20 - ROUNDS + 1))
  expect(customers).toEqual([
    { customer: 'c:other', recorded: recorded / 2, revenue: 100 * (recorded / 2), firstVisitAt },
    {
      customer: 'c:shared',
      recorded: recorded / 2,
      revenue: 100 * (recorded / 2) - 50 * ROUNDS,
      firstVisitAt,
    },
  ])
})

test('payments and a file: what requests send while it is imported is recorded once', async () => {
  const { db } = database
  const site = { ...(await createTestSite(db)), timezone: 'UTC', currency: 'USD' }
  const services = { db, now: () => new Date(NOW), sayExisting() {} }
  const ids = Array.from({ length: 24 }, (_, index) => `order-${index}`)
  const visitors = Array.from({ length: 4 }, () => randomUUID())
  const rows = ids.map((id, index) =>
    factsOf({
      ...{ type: 'payment', id, at: NOW - (index + 1) * DAY_MS, amount: 100, currency: 'USD' },
      ...{ customer: `c-${index % 5}`, visitor: visitors[index % 4] },
      refunded: index % 2 === 0 ? 40 : undefined,
    } as Parameters<typeof factsOf>[0]),
  )
  await storeFileFacts(db, site.siteNo, rows.flat())
  const pay = (transaction_id: string, index: number) =>
    createPayment(services, site, {
      ...{ amount: 100, currency: 'USD', transaction_id, customer_id: `c-${(index * 3) % 5}` },
      ...{ renewal: false, refunded: false, is_free_trial: false, recurring: false },
      visitor_id: visitors[(index + 1) % 4],
    } as Parameters<typeof createPayment>[2])
  const outcomes = await Promise.allSettled([
    deriveFileFacts({ db, log: silentLog }, site.siteNo),
    ...ids.toReversed().map(pay),
    ...visitors.map((visitorId, partition) =>
      retry(
        () => storeHits(db, partition, [enrichedHit(site, NOW - 50 * DAY_MS, { visitorId })]),
        STORE_RETRY,
      ),
    ),
  ])
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
  const [sums] = await db`
    select
      (select count(*)::int from payments where site_no = ${site.siteNo}) as payments,
      (select count(distinct customer)::int from payments where site_no = ${site.siteNo}) as customers,
      (select sum(refunded_minor)::int from payments where site_no = ${site.siteNo}) as refunded,
      (select sum(refunded_minor)::int from revenue where site_no = ${site.siteNo}) as of_revenue,
      (select count(*)::int from revenue where site_no = ${site.siteNo} and is_first_of_customer) as firsts,
      (select count(*)::int from revenue where site_no = ${site.siteNo} and session_no is not null) as attributed`
  expect(sums).toEqual({
    payments: 24,
    customers: 5,
    refunded: 480,
    of_revenue: 480,
    firsts: 5,
    attributed: 24,
  })
})
