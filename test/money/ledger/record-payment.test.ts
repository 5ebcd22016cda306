import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { deletePayment, setRefunded } from '../../../src/money/ledger/change-payment.ts'
import type { NewPayment } from '../../../src/money/ledger/payment.ts'
import { findPayment, recordPayment } from '../../../src/money/ledger/record-payment.ts'
import { type ServiceEvent, writeServiceEvents } from '../../../src/money/ledger/service-events.ts'
import { refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { newPayment } from '../../support/payments.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { tablesWithRows } from '../../support/tables-with-rows.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 2, 2, 12)

const db = dbOf(useDatabase(testDatabase))
const paid = (fields: Partial<NewPayment> = {}) => newPayment({ paidAt: new Date(START), ...fields })

const record = (site: TestSite, payment: NewPayment) => db.begin(tx => recordPayment(tx, site, payment))

const ledger = ({ siteNo }: TestSite) => db`
  select payment_id as id, amount_minor as amount, refunded_minor as refunded, is_first_of_customer as "isFirst",
    visitor_no as visitor, session_at as "sessionAt"
  from revenue where site_no = ${siteNo} order by at, payment_id`

const eventsOf = ({ siteNo }: TestSite) => db`
  select name, type, at, visitor_no as visitor, session_at as "sessionAt", country, entry_path as "entryPath", path, props
  from events where site_no = ${siteNo} and is_service order by at, name`

async function refresh(now: Date) {
  for (const aggregate of ['hits', 'revenue'] as const) await refreshAggregate(db, aggregate, now)
}

const visitorNoOf = async ({ siteNo }: TestSite, id: string) =>
  (await db`select visitor_no from visitors where site_no = ${siteNo} and id = ${id}`)[0]?.visitor_no

test('payments: 50 concurrent records of one payment give one payment, one ledger row and one event', async () => {
  const site = await createTestSite(db)
  const payment = paid({ visitorId: randomUUID() })
  const answers = await Promise.all(Array.from({ length: 50 }, () => record(site, payment)))
  expect(answers.filter(answer => answer.created)).toHaveLength(1)
  expect(new Set(answers.map(answer => answer.payment.id)).size).toBe(1)
  const rows = await db`select id from payments where site_no = ${site.siteNo}`
  expect(rows).toHaveLength(1)
  expect(await ledger(site)).toEqual([
    { id: rows[0]!.id, amount: 4_999, refunded: 0, isFirst: true, visitor: null, sessionAt: null },
  ])
  const nowhere = { visitor: null, sessionAt: null, country: '', entryPath: '', path: '' }
  const props = { amount: '4999', currency: 'USD' }
  expect(await eventsOf(site)).toEqual([
    { ...nowhere, name: 'payment', type: 'event', at: payment.paidAt, props },
  ])
})

test('payments: a payment is the same under every id of the processor, in any order', async () => {
  const site = await createTestSite(db)
  const webhook = paid({ transactionId: 'pi_1', aliases: ['ch_1', 'in_1'], source: 'processor' })
  await record(site, webhook)
  const same = { created: false, payment: { transactionId: 'pi_1' } }
  for (const transactionId of ['pi_1', 'ch_1', 'in_1'])
    expect(await record(site, paid({ transactionId }))).toMatchObject(same)
  await record(site, paid({ transactionId: 'ch_2' }))
  const later = await record(site, { ...webhook, transactionId: 'pi_2', aliases: ['ch_2', 'in_2'] })
  expect(later).toMatchObject({ created: false, payment: { transactionId: 'ch_2', source: 'api' } })
  expect((await record(site, paid({ transactionId: 'in_2' }))).created).toBe(false)
  expect(await ledger(site)).toHaveLength(2)
})

test('payments: an amount that is no exact positive number is refused', async () => {
  const site = await createTestSite(db)
  for (const amountMinor of [0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN])
    await expect(record(site, paid({ amountMinor }))).rejects.toThrow(RangeError)
})

test('payments: a payment of a deleted site is not recorded', async () => {
  const site = await createTestSite(db)
  await db`update sites set deleted_at = now() where site_no = ${site.siteNo}`
  await expect(record(site, paid())).rejects.toMatchObject({ code: 'not_found' })
})

test('payments: an API payment that begins a free trial also writes a free_trial event', async () => {
  const site = await createTestSite(db)
  await record(site, paid({ isFreeTrial: true }))
  await record(site, paid({ isFreeTrial: true, source: 'processor' }))
  const names = (await eventsOf(site)).map(event => event.name)
  expect(names).toEqual(['free_trial', 'payment', 'payment'])
})

const firsts = async (site: TestSite) => {
  const rows = await db`select transaction_id as id from payments join revenue on payment_id = payments.id
    where payments.site_no = ${site.siteNo} and is_first_of_customer order by 1`
  return rows.map(row => row.id)
}
const at = (hours: number) => new Date(START + hours * HOUR)

test('first payments: the mark belongs to the earliest payment in any order of recording, and to the next one after a deletion', async () => {
  const site = await createTestSite(db)
  for (const transactionId of ['c', 'a', 'd', 'b']) {
    const paidAt = at('abcd'.indexOf(transactionId))
    await record(site, paid({ transactionId, customerId: 'one', paidAt }))
  }
  const left = [await firsts(site)]
  for (const gone of ['a', 'c', 'b', 'd']) {
    await db.begin(tx => deletePayment(tx, site, gone, 'api'))
    left.push(await firsts(site))
  }
  expect(left).toEqual([['a'], ['b'], ['b'], ['d'], []])
})

test('first payments: a customer is recognized by customer_id, else e-mail in any case, else visitor; otherwise each payment is a customer', async () => {
  const site = await createTestSite(db)
  const visitorId = randomUUID()
  const payments: Partial<NewPayment>[] = [
    { customerId: 'x', email: 'x@example.com' },
    { customerId: 'x', visitorId },
    { email: 'X@Example.com' },
    { email: 'x@example.COM', visitorId },
    { visitorId: visitorId.toUpperCase() },
    { visitorId },
    { email: 'ÄÖ@example.com' },
    { email: 'äö@example.com' },
    { name: 'Nobody' },
    { name: 'Nobody' },
  ]
  for (const [index, fields] of payments.entries())
    await record(site, paid({ ...fields, transactionId: `${index}`, paidAt: at(index) }))
  expect(await firsts(site)).toEqual(['0', '2', '4', '6', '8', '9'])
})

test('first payments: a customer has one first payment in each currency', async () => {
  const site = await createTestSite(db)
  const of = { customerId: 'one', source: 'processor' } as const
  await record(site, paid({ ...of, transactionId: 'eur', currency: 'EUR' }))
  await record(site, paid({ ...of, transactionId: 'usd', paidAt: at(1) }))
  expect(await firsts(site)).toEqual(['eur', 'usd'])
})

test('20 concurrent payments of a customer have one first payment', async () => {
  const site = await createTestSite(db)
  const payments = Array.from({ length: 20 }, (_, hours) =>
    paid({ transactionId: `${hours}`, customerId: 'one', paidAt: at(hours % 10) }),
  )
  await Promise.all(payments.map(payment => record(site, payment)))
  expect(await firsts(site)).toHaveLength(1)
})

const view = (site: TestSite, visitorId: string, at: number, url = '/') =>
  enrichedHit(site, at, { visitorId, url, country: 'FR' })

test('attribution: a payment belongs to the session it falls into, else to the latest one before it, else to none', async () => {
  const site = await createTestSite(db)
  const visitorId = randomUUID()
  await storeHits(db, 0, [
    view(site, visitorId, START, '/one'),
    view(site, visitorId, START + 10 * MINUTE),
    view(site, visitorId, START + DAY, '/two'),
    view(site, randomUUID(), START + 4 * HOUR, '/other'),
  ])
  const paidAt = [-HOUR, 0, 5 * MINUTE, DAY - 1, DAY, 80 * DAY]
  for (const after of paidAt) await record(site, paid({ visitorId, paidAt: new Date(START + after) }))
  const visitor = await visitorNoOf(site, visitorId)
  const [one, two] = [START, START + DAY].map(at => ({ visitor, sessionAt: new Date(at) }))
  const none = { visitor, sessionAt: null }
  expect(await ledger(site)).toMatchObject([none, one, one, one, two, two])
  const [ofOne, ofTwo] = ['/one', '/two'].map(entryPath => ({ country: 'FR', entryPath, path: '' }))
  expect(await eventsOf(site)).toMatchObject([
    { ...none, country: '', entryPath: '', path: '' },
    ...Array(3).fill({ ...one, ...ofOne }),
    ...Array(2).fill({ ...two, ...ofTwo }),
  ])
  expect(await db`select from awaiting_visitors where site_no = ${site.siteNo}`).toHaveLength(0)
})

test.each([
  ['at its time', -MINUTE],
  ['before it', -3 * HOUR],
  ['after it', HOUR],
])(
  'attribution: a payment belongs to a visitor who first appears later, with a session %s',
  async (_, offset) => {
    const site = await createTestSite(db)
    const visitorId = randomUUID()
    await record(site, paid({ visitorId, isFreeTrial: true }))
    await record(site, paid({ visitorId: randomUUID() }))
    // Another visitor, or an identity without a pageview, attributes nothing.
    await storeHits(db, 0, [
      view(site, randomUUID(), START),
      enrichedHit(site, START, { visitorId, type: 'identify', identity: { identifier: 'x' } }),
    ])
    expect(await ledger(site)).toMatchObject([{ sessionAt: null }, { sessionAt: null }])
    await storeHits(db, 0, [
      view(site, visitorId, START + offset, '/entry'),
      view(site, visitorId, START + offset + 10 * HOUR, '/later'),
    ])
    const place = { visitor: await visitorNoOf(site, visitorId), sessionAt: new Date(START + offset) }
    expect((await ledger(site)).filter(row => row.visitor !== null)).toMatchObject([place])
    const of = { ...place, entryPath: '/entry', country: 'FR' }
    expect((await eventsOf(site)).filter(event => event.visitor !== null)).toMatchObject([
      { ...of, name: 'free_trial' },
      { ...of, name: 'payment' },
    ])
  },
)

test('attribution: a payment belongs to a visitor who first appears while payments are recorded', async () => {
  const site = await createTestSite(db)
  const visitors = Array.from({ length: 20 }, () => randomUUID())
  await Promise.all(
    visitors.flatMap((visitorId, index) => [
      record(site, paid({ visitorId })),
      storeHits(db, index % 4, [view(site, visitorId, START - MINUTE)]),
    ]),
  )
  const rows = await ledger(site)
  expect(rows).toHaveLength(20)
  for (const row of rows) expect(row.sessionAt).toEqual(new Date(START - MINUTE))
})

test('attribution: a payment belongs to a visitor who first appears when the events are in the columnstore', async () => {
  const site = await createTestSite(db)
  const visitorId = randomUUID()
  await record(site, paid({ visitorId }))
  const now = new Date(START + 30 * DAY)
  await refresh(now)
  expect(await compressSettledChunks(db, now)).toBeGreaterThan(0)
  await record(site, paid({ paidAt: new Date(START + MINUTE) }))
  await storeHits(db, 0, [view(site, visitorId, START - MINUTE, '/entry')])
  expect(await eventsOf(site)).toMatchObject([
    { name: 'payment', visitor: await visitorNoOf(site, visitorId), entryPath: '/entry' },
    { name: 'payment', visitor: null },
  ])
})

test('service events: an event that is written twice is stored once, and marks its bucket below the watermark', async () => {
  const site = await createTestSite(db)
  const event: ServiceEvent = { name: 'subscription_started', at: new Date(START), key: 'sub_1' }
  for (let time = 0; time < 2; time++) await db.begin(tx => writeServiceEvents(tx, site, [event]))
  expect(await eventsOf(site)).toHaveLength(1)
  await refreshAggregate(db, 'hits', new Date(START + 30 * DAY))
  await db.begin(tx => writeServiceEvents(tx, site, [{ ...event, key: 'sub_2' }]))
  expect(await eventsOf(site)).toHaveLength(2)
  const marks =
    await db`select bucket from dirty_buckets where aggregate = 'hits' and site_no = ${site.siteNo}`
  expect(marks).toEqual([{ bucket: new Date(START) }])
})

test('refunds: a refund is stored with the payment and in the ledger, up to the paid amount', async () => {
  const site = await createTestSite(db)
  await record(site, paid({ transactionId: 'pi_1', aliases: ['ch_1'], source: 'processor' }))
  const refund = (id: string, amount: number) => db.begin(tx => setRefunded(tx, site, id, amount))
  const stored = async () => {
    const payment = await findPayment(db, site.siteNo, ['pi_1'])
    return [payment!.refundedMinor, payment!.refunded, (await ledger(site))[0]!.refunded]
  }
  expect(await refund('ch_1', 1_000)).toBe(true)
  expect(await stored()).toEqual([1_000, false, 1_000])
  expect(await refund('pi_1', 9_999)).toBe(true)
  expect(await stored()).toEqual([4_999, true, 4_999])
  expect(await refund('unknown', 1)).toBe(false)
})

test('payments: concurrent refunds, deletions and new visitors leave the ledger equal to the payments', {
  tags: ['full'],
}, async () => {
  const site = await createTestSite(db)
  for (let round = 0; round < 5; round++) {
    const payments = Array.from({ length: 8 }, (_, index) =>
      paid({ customerId: 'one', visitorId: randomUUID(), paidAt: new Date(START + index) }),
    )
    await Promise.all(payments.map(payment => record(site, payment)))
    await Promise.all(
      payments.flatMap(({ transactionId, visitorId }, index) => [
        storeHits(db, index % 4, [enrichedHit(site, START - MINUTE, { visitorId: visitorId! })]),
        db.begin(tx => setRefunded(tx, site, transactionId, 1_000 + index)),
        index % 2 === 0 && db.begin(tx => deletePayment(tx, site, transactionId, 'api')),
      ]),
    )
  }
  const rows = await db`
    select transaction_id, payments.refunded_minor as refunded, revenue.refunded_minor as "inLedger", session_at as "sessionAt"
    from payments full join revenue on revenue.site_no = payments.site_no and payment_id = id
    where coalesce(payments.site_no, revenue.site_no) = ${site.siteNo}`
  expect(rows).toHaveLength(20)
  for (const { refunded, inLedger, sessionAt } of rows) {
    expect(refunded).toBeGreaterThanOrEqual(1_000)
    expect([inLedger, sessionAt]).toEqual([refunded, new Date(START - MINUTE)])
  }
})

/** Returns the tables, but for marks and stamps, that have rows of the site. */
const traces = async (site: TestSite) =>
  (await tablesWithRows(db, site)).filter(name => !/dirty_buckets|stamps/.test(name))

test.each(['as rows', 'in the columnstore and refreshed'])(
  'deleted payments: a deletion leaves no rows, %s',
  async storage => {
    const site = await createTestSite(db)
    const ids = { transactionId: 'pi_9', aliases: ['ch_9'], visitorId: randomUUID() }
    const payment = paid({ ...ids, isFreeTrial: true })
    await record(site, payment)
    const now = new Date(START + 60 * DAY)
    if (storage !== 'as rows') {
      await refresh(now)
      await compressSettledChunks(db, now)
    }
    expect(await db.begin(tx => deletePayment(tx, site, 'ch_9', 'api'))).toBe(false)
    expect(await db.begin(tx => deletePayment(tx, site, 'pi_9', 'api'))).toBe(true)
    await refresh(now)
    expect(await traces(site)).toEqual([])
    expect(await db.begin(tx => deletePayment(tx, site, 'pi_9', 'api'))).toBe(false)
    expect((await record(site, payment)).created).toBe(true)
  },
)
