import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EnrichedHit } from '../../src/ingestion/hit.ts'
import { STORE_RETRY, storeHits } from '../../src/ingestion/store/store.ts'
import { retry } from '../../src/lib/retry.ts'
import { setRefunded } from '../../src/revenue/ledger/change-payment.ts'
import { createPayment, removePayment } from '../../src/revenue/payments.ts'
import { inProcessorTransaction } from '../../src/revenue/transactions.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
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
