import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { deriveFileFacts, storeFileFacts } from '../../src/revenue/import/file-facts.ts'
import { purgePayments, setRefunded } from '../../src/revenue/ledger/change-payment.ts'
import { writeServiceEvents } from '../../src/revenue/ledger/service-events.ts'
import { createPayment, removePayment } from '../../src/revenue/payments.ts'
import { inProcessorTransaction } from '../../src/revenue/transactions.ts'
import { compressSettledChunks } from '../../src/rollups/columnstore.ts'
import { cacheOf } from '../../src/rollups/daily/rollup-cache.ts'
import { countServiceDay } from '../../src/rollups/service-events/count-day.ts'
import { forgetServiceDays } from '../../src/rollups/service-events/forget-days.ts'
import { prepareServiceDays } from '../../src/rollups/service-events/prepare-days.ts'
import { StatsQuery } from '../../src/stats/filters/query.ts'
import { getGoalReport } from '../../src/stats/reports/goals.ts'
import { unlinkMoney } from '../../src/transfer/imports/undo/unlink-money.ts'
import { factsOf } from '../../src/transfer/money/row-facts.ts'
import { eraseNow, TINY } from '../people/steps.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { ALONE } from '../support/import-services.ts'
import { silentLog } from '../support/log.ts'
import { type Random, randomFrom } from '../support/random-values.ts'
import { readServices, readSite } from '../support/read-services.ts'
import {
  type EventGoal,
  type GoalNumbers,
  recountEventGoals,
  saveEventGoals,
} from '../support/recount-service-goals.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { rollUpGoals } from '../support/roll-up-goals.ts'
import { runs, seeds } from '../support/runs.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const NOW = Date.UTC(2026, 2, 14, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const RANGE = { from: '2026-03-02', to: '2026-03-14' }
const PAYMENT: EventGoal = { pattern: '^payment$', props: {}, currency: null }
const GOALS: EventGoal[] = [
  PAYMENT,
  { pattern: '^payment$', props: { currency: 'USD' }, currency: null },
  { pattern: '^payment$', props: { amount: '100', currency: 'USD' }, currency: 'USD' },
  { pattern: '^(subscription|trial)_', props: {}, currency: 'USD' },
  { pattern: '^subscription_started$', props: {}, currency: null },
  { pattern: 'i', props: {}, currency: null },
]
const SEQUENCES = runs(3)
const STEPS = 45

const database = useDatabase(testDatabase)

type Site = TestSite & { timezone: string; currency: string }

async function newSite(timezone = 'UTC'): Promise<Site> {
  const { db } = database
  // Otherwise the days of a new site are rolled up only when the watermark moves.
  await db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
  return { ...(await createTestSite(db, { timezone })), timezone, currency: 'USD' }
}

/** A site with a goal, and a visit so long ago that days before today are over. */
async function siteWithGoals(goals = [PAYMENT], daysAgo = 4): Promise<Site> {
  const site = await newSite()
  await saveEventGoals(database.db, site, goals)
  await visit(site, randomUUID(), NOW - daysAgo * DAY)
  return site
}

async function read(site: Site, range: { from: string; to: string }): Promise<GoalNumbers[]> {
  const query = StatsQuery.parse({ range: 'today', ...range })
  const services = readServices(database.db, new Date(NOW))
  const rows = await getGoalReport(services, readSite(site, site.timezone), query)
  return rows.map(({ conversions, visitors, revenue }) => [conversions, visitors, revenue!])
}

const countGoals = () => rollUpGoals(database.db, Number.POSITIVE_INFINITY, new Date(NOW))

async function rollUp(): Promise<void> {
  await rollUpAll(database.db, new Date(NOW))
  await countGoals()
}

/** Makes a read of the stored counts visible: rows say something else. */
const falsify = ({ siteNo }: Site) => database.db`
  update daily_service_events
  set counts = (select jsonb_agg(each || '{"conversions": 1000}') from jsonb_array_elements(counts) as each)
  where site_no = ${siteNo} and counts <> '[]'`

const countedDays = async ({ siteNo }: Site) =>
  (await database.db`select from daily_service_events where site_no = ${siteNo} and counts is not null`)
    .length

const visit = (site: Site, visitorId: string, at: number, fields = {}) =>
  storeHits(database.db, 0, [enrichedHit(site, at, { visitorId, ...fields })])

const pay = (site: Site, fields: object) =>
  createPayment({ db: database.db, now: () => new Date(NOW), sayExisting() {} }, site, {
    ...{ amount: 100, currency: 'USD', transaction_id: randomUUID() },
    ...{ renewal: false, refunded: false, is_free_trial: false, recurring: false },
    ...fields,
  } as Parameters<typeof createPayment>[2])

/** What can happen to the events that the service writes, in any order. */
function stepsOf(random: Random, site: Site) {
  const { db } = database
  const visitors = Array.from({ length: 6 }, () => randomUUID())
  const payments: string[] = []
  const subscriptions = ['sub_1', 'sub_2', 'sub_3']
  const past = () => NOW - random.int(12 * DAY)
  const visitor = () => (random.chance(0.8) ? random.pick(visitors) : undefined)
  const importFacts = async (rows: object[]) => {
    const facts = rows.flatMap(row => factsOf(row as Parameters<typeof factsOf>[0]))
    await storeFileFacts(db, site.siteNo, facts)
    await deriveFileFacts({ db, log: silentLog }, site.siteNo)
  }
  const steps: Record<string, () => Promise<unknown>> = {
    async pay() {
      const transaction_id = randomUUID()
      payments.push(transaction_id)
      const amount = random.pick([100, 100, 250])
      const timestamp = new Date(random.chance(0.2) ? NOW - random.int(HOUR) : past()).toISOString()
      const is_free_trial = random.chance(0.2)
      await pay(site, { transaction_id, amount, is_free_trial, timestamp, visitor_id: visitor() })
    },
    async refund() {
      const id = random.pick(payments)
      if (id) await inProcessorTransaction(db, site.siteNo, tx => setRefunded(tx, site, id, 50))
    },
    async remove() {
      const [transaction_id] = payments.splice(random.int(payments.length), 1)
      if (transaction_id) await removePayment({ db, audit: async () => {} }, site, { transaction_id })
    },
    removeAll: () => (random.chance(0.2) ? purgePayments(db, site, 'USD') : Promise.resolve()),
    visit: () => visit(site, random.pick(visitors), past()),
    event: () => visit(site, random.pick(visitors), past(), { type: 'event', name: 'signup' }),
    importPayments: () =>
      importFacts(
        Array.from({ length: 1 + random.int(3) }, () => ({
          ...{ type: 'payment', id: randomUUID(), at: past(), amount: 100, currency: 'USD' },
          ...{ customer: `c-${random.int(3)}`, visitor: visitor(), subscription: random.pick(subscriptions) },
        })),
      ),
    // States that are read later and are earlier change what was derived from those after them.
    importStates: () =>
      importFacts([
        {
          ...{ type: 'subscription', id: random.pick(subscriptions), at: past(), visitor: visitor() },
          ...{ status: random.pick(['trialing', 'active', 'active', 'canceled']), customer: 'c-1' },
          ...{ amount: random.pick([500, 900]), currency: 'USD', interval: 'month', quantity: 1 },
        },
      ]),
    async erase() {
      const known = await db<{ id: string }[]>`
        select id from visitors where site_no = ${site.siteNo} and id = any(${visitors}::uuid[]) order by visitor_no`
      if (known.length > 0) await eraseNow(db, site, random.pick(known).id, new Date(NOW), TINY)
    },
    async undoImport() {
      await db`update visitors set imported_as = 'test' where site_no = ${site.siteNo} and id = ${random.pick(visitors)}`
      await unlinkMoney(db, { siteNo: site.siteNo, format: 'test', turn: ALONE })
      await db`update visitors set imported_as = null where site_no = ${site.siteNo}`
    },
    async changeZone() {
      site.timezone = random.pick(['UTC', 'Asia/Tokyo', 'America/New_York'])
      await db`update sites set timezone = ${site.timezone} where site_no = ${site.siteNo}`
    },
    rollUp,
    rollUpSome: () => rollUpGoals(db, random.int(6)),
    async prepare() {
      await prepareServiceDays(db, site.siteNo, new Date(NOW))
    },
    compress: () => compressSettledChunks(db, new Date(NOW)),
    // What a thread has in memory goes with its process.
    restart: async () => cacheOf(db).goals.clear(),
  }
  return steps
}

const OFTEN = ['pay', 'pay', 'pay', 'visit', 'importPayments', 'importStates', 'rollUp', 'rollUp', 'restart']

test(`goal report: events of the service equal a recount, whatever happens to them (${SEQUENCES} sequences)`, {
  tags: ['full'],
}, async () => {
  const { db } = database
  let counted = 0
  for (const seed of seeds(SEQUENCES)) {
    const random = randomFrom(seed)
    const site = await newSite(random.pick(['UTC', 'Europe/Berlin']))
    await visit(site, randomUUID(), NOW - 12 * DAY)
    const steps = stepsOf(random, site)
    let goals = GOALS.slice(0, 4)
    await saveEventGoals(db, site, goals)
    const done: string[] = []
    for (let step = 0; step < STEPS; step++) {
      const name = random.chance(0.7) ? random.pick(OFTEN) : random.pick([...Object.keys(steps), 'goals'])
      done.push(name)
      if (name === 'goals') {
        goals = GOALS.filter(() => random.chance(0.6))
        await saveEventGoals(db, site, goals)
      } else await steps[name]!()
      const from = `2026-03-${String(2 + random.int(13)).padStart(2, '0')}`
      const range = random.chance(0.5) ? RANGE : { ...RANGE, from }
      const expected = await recountEventGoals(db, site, goals, { zone: site.timezone, ...range })
      expect(await read(site, range), JSON.stringify({ seed, done, range })).toEqual(expected)
      counted += await countedDays(site)
    }
  }
  expect(counted).toBeGreaterThan(SEQUENCES * STEPS)
})

test('goal report: events of the service on days that are over come from counts, also those with properties', async () => {
  const site = await siteWithGoals([PAYMENT, { ...PAYMENT, props: { amount: '100' } }], 3)
  await pay(site, { timestamp: new Date(NOW - 2 * DAY).toISOString() })
  await pay(site, { timestamp: new Date(NOW - HOUR).toISOString(), amount: 250 })
  await rollUp()
  expect(await read(site, RANGE)).toEqual([
    [2, 0, 0],
    [1, 0, 0],
  ])
  await falsify(site)
  await database.db`update daily_service_events set properties = '[]' where site_no = ${site.siteNo}`
  cacheOf(database.db).goals.clear()
  expect(await read(site, RANGE)).toEqual([
    [1001, 0, 0],
    [0, 0, 0],
  ])
})

test('goal report: a payment on a counted day is counted at once, and changes no other day', async () => {
  const site = await siteWithGoals()
  const timestamp = new Date(NOW - 2 * DAY).toISOString()
  await pay(site, { timestamp })
  await rollUp()
  const before = await countedDays(site)
  await pay(site, { timestamp })
  expect([await countedDays(site), await read(site, RANGE)]).toEqual([before - 1, [[2, 0, 0]]])
  await countGoals()
  expect([await countedDays(site), await read(site, RANGE)]).toEqual([before, [[2, 0, 0]]])
})

test('goal report: days without details keep no counts of events of the service', async () => {
  const { db } = database
  const site = await siteWithGoals()
  await rollUp()
  const detailsFrom = new Date(Date.UTC(2026, 2, 13))
  await db`update sites set details_from = ${detailsFrom} where site_no = ${site.siteNo}`
  expect(await prepareServiceDays(db, site.siteNo, new Date(NOW))).toEqual([])
  const left = await db`select starts_at as at from daily_service_events where site_no = ${site.siteNo}`
  expect(left).toEqual([{ at: detailsFrom }])
})

test('goal report: a day that is touched between preparation and counting is prepared again', async () => {
  const { db } = database
  const site = await siteWithGoals()
  await rollUpAll(db, new Date(NOW))
  const days = await prepareServiceDays(db, site.siteNo, new Date(NOW))
  await pay(site, { timestamp: new Date(NOW - 2 * DAY).toISOString() })
  for (const day of days!) await countServiceDay(db, day)
  expect([days!.length, await countedDays(site)]).toEqual([4, 3])
  const again = await prepareServiceDays(db, site.siteNo, new Date(NOW))
  for (const day of days!) await countServiceDay(db, day)
  expect([again!.length, await countedDays(site)]).toEqual([1, 3])
})

test('goal report: no day is prepared while a transaction writes events of the service', {
  tags: ['native'],
}, async () => {
  const { db } = database
  const site = await siteWithGoals()
  await rollUpAll(db, new Date(NOW))
  await db.begin(async tx => {
    await writeServiceEvents(tx, site, [{ name: 'payment', at: new Date(NOW - 2 * DAY), key: 'a' }])
    expect(await prepareServiceDays(db, site.siteNo, new Date(NOW))).toBeUndefined()
  })
  expect(await prepareServiceDays(db, site.siteNo, new Date(NOW))).toHaveLength(4)
})

test('goal report: a day that is counted while a transaction has written and not yet said so is counted again', {
  tags: ['native'],
}, async () => {
  const { db } = database
  const site = await siteWithGoals()
  await rollUpAll(db, new Date(NOW))
  const at = new Date(NOW - 2 * DAY)
  await db.begin(async tx => {
    await tx`
        insert into events (site_no, at, id, type, name, hostname, path, url, title, is_service)
        values (${site.siteNo}, ${at}, ${randomUUID()}, 'event', 'payment', '', '', '', '', true)`
    await countGoals()
    expect(await countedDays(site)).toBe(4)
    await forgetServiceDays(tx, [{ siteNo: site.siteNo, at }])
  })
  expect([await countedDays(site), await read(site, RANGE)]).toEqual([3, [[1, 0, 0]]])
})
