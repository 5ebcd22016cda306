import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { EnrichedHit } from '../../src/ingestion/hit.ts'
import { STORE_RETRY, storeHits } from '../../src/ingestion/store/store.ts'
import { deriveFileFacts, storeFileFacts } from '../../src/money/import/file-facts.ts'
import { setRefunded } from '../../src/money/ledger/change-payment.ts'
import { createPayment, removePayment } from '../../src/money/site-payments.ts'
import { inProcessorTransaction } from '../../src/money/transactions.ts'
import { factsOf } from '../../src/outgoing/transfer/money/row-facts.ts'
import { retry } from '../../src/platform/lib/retry.ts'
import { useDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { silentLog } from '../support/log.ts'
import { createTestSite } from '../support/sites.ts'

const NOW = Date.UTC(2026, 2, 10, 12)
const DAY_MS = 86_400_000
const ROUNDS = 4

const database = useDatabase()

const at = (daysAgo: number) => new Date(NOW - daysAgo * DAY_MS).toISOString()
const store = (partition: number, hit: EnrichedHit) =>
  retry(() => storeHits(database.db, partition, [hit]), STORE_RETRY)

async function openSite() {
  const { db } = database
  const site = { ...(await createTestSite(db)), timezone: 'UTC', currency: 'USD' }
  const pay = (fields: object) =>
    createPayment({ db, now: () => new Date(NOW), sayExisting() {} }, site, {
      ...{ amount: 100, currency: 'USD', transaction_id: randomUUID(), customer_id: 'shared' },
      ...{ renewal: false, refunded: false, is_free_trial: false, recurring: false },
      ...fields,
    } as Parameters<typeof createPayment>[2])
  return { db, site, pay }
}

async function expectAllDone(promises: Promise<unknown>[]) {
  const outcomes = await Promise.allSettled(promises)
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
}

test('payments and hits: what both change of one customer is written, in whatever order they come', async () => {
  const { db, site, pay } = await openSite()
  for (let round = 0; round < ROUNDS; round++) {
    const visitors = Array.from({ length: 4 }, () => randomUUID())
    const gone = randomUUID()
    // Payments that wait for visitors, of two customers that have all of them.
    for (const [index, visitor_id] of visitors.entries()) {
      const customer_id = index % 2 === 0 ? 'shared' : 'other'
      await pay({ visitor_id, customer_id, timestamp: at(30 + round), transaction_id: `${round}/${index}` })
    }
    await pay({ timestamp: at(31 + round), transaction_id: gone })
    const visit = (visitorId: string, daysAgo: number) =>
      enrichedHit(site, Date.parse(at(daysAgo)), { visitorId })
    await expectAllDone([
      ...visitors.map((visitor, partition) => store(partition, visit(visitor, 20 + round))),
      pay({ timestamp: at(32 + round) }),
      pay({ timestamp: at(32 + round), customer_id: 'other' }),
      removePayment({ db, audit: async () => {} }, { ...site, id: site.id }, { transaction_id: gone }),
      inProcessorTransaction(db, site.siteNo, tx => setRefunded(tx, site, `${round}/0`, 50)),
    ])
    // Earlier sessions of all visitors move the first visits of both customers.
    await Promise.all([
      ...visitors.map((visitor, partition) => store(partition, visit(visitor, 40 + round))),
      pay({ timestamp: at(33 + round) }),
      pay({ timestamp: at(33 + round), customer_id: 'other' }),
    ])
  }
  const customers = await db`
    select customer, recorded::int, revenue_minor::int as revenue, first_visit_at as "firstVisitAt"
    from customers where site_no = ${site.siteNo} order by customer`
  const both = { recorded: 4 * ROUNDS, firstVisitAt: new Date(at(40 + ROUNDS - 1)) }
  expect(customers).toEqual([
    { ...both, customer: 'c:other', revenue: 400 * ROUNDS },
    { ...both, customer: 'c:shared', revenue: 400 * ROUNDS - 50 * ROUNDS },
  ])
})

test('payments and a file: what requests send while it is imported is recorded once', {
  tags: ['full'],
}, async () => {
  const { db, site, pay } = await openSite()
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
  const payOther = (transaction_id: string, index: number) =>
    pay({ transaction_id, customer_id: `c-${(index * 3) % 5}`, visitor_id: visitors[(index + 1) % 4] })
  await expectAllDone([
    deriveFileFacts({ db, log: silentLog }, site.siteNo),
    ...ids.toReversed().map(payOther),
    ...visitors.map((visitorId, partition) =>
      store(partition, enrichedHit(site, NOW - 50 * DAY_MS, { visitorId })),
    ),
  ])
  const [sums] = await db`
    select
      (select count(*)::int from payments where site_no = ${site.siteNo}) as payments,
      (select count(distinct customer)::int from payments where site_no = ${site.siteNo}) as customers,
      (select sum(refunded_minor)::int from payments where site_no = ${site.siteNo}) as refunded,
      (select sum(refunded_minor)::int from revenue where site_no = ${site.siteNo}) as of_revenue,
      (select count(*)::int from revenue where site_no = ${site.siteNo} and is_first_of_customer) as firsts,
      (select count(*)::int from revenue where site_no = ${site.siteNo} and session_no is not null) as attributed`
  const counts = { payments: 24, customers: 5, firsts: 5, attributed: 24 }
  expect(sums).toEqual({ ...counts, refunded: 480, of_revenue: 480 })
})
