import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { deriveFileFacts, storeFileFacts } from '../../../src/money/import/file-facts.ts'
import { purgePayments, setRefunded } from '../../../src/money/ledger/change-payment.ts'
import { createPayment, removePayment } from '../../../src/money/site-payments.ts'
import { inProcessorTransaction } from '../../../src/money/transactions.ts'
import { unlinkMoney } from '../../../src/outgoing/transfer/imports/undo/unlink-money.ts'
import { factsOf } from '../../../src/outgoing/transfer/money/row-facts.ts'
import { StatsQuery } from '../../../src/stats/filters/stats-query.ts'
import type { StatsServices } from '../../../src/stats/query-context.ts'
import { getGoalReport } from '../../../src/stats/reads/goal-report.ts'
import { mergeNewStamps } from '../../../src/storage/columns/stamps.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { eraseNow, TINY } from '../../outgoing/people/steps.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { ALONE } from '../../support/import-services.ts'
import { silentLog } from '../../support/log.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { readServices, readSite } from '../../support/read-services.ts'
import {
  type EventGoal,
  type GoalNumbers,
  recountEventGoals,
  saveEventGoals,
} from '../../support/recount-service-goals.ts'
import { runs, seeds } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'

const NOW = Date.UTC(2026, 2, 14, 12)
const [HOUR, DAY] = [3_600_000, 86_400_000]
const RANGE = { from: '2026-03-02', to: '2026-03-14' }
const GOALS: EventGoal[] = [
  { pattern: '^payment$', props: {}, currency: null },
  { pattern: '^payment$', props: { currency: 'USD' }, currency: null },
  { pattern: '^payment$', props: { amount: '100', currency: 'USD' }, currency: 'USD' },
  { pattern: '^(subscription|trial)_', props: {}, currency: 'USD' },
  { pattern: '^subscription_started$', props: {}, currency: null },
  { pattern: 'i', props: {}, currency: null },
]
const SEQUENCES = runs(3)
const STEPS = 45

const db = dbOf(useDatabase(testDatabase))

type Site = TestSite & { timezone: string; currency: string }

async function newSite(timezone = 'UTC'): Promise<Site> {
  return { ...(await createTestSite(db, { timezone })), timezone, currency: 'USD' }
}

async function readGoals(services: StatsServices, site: Site, range = RANGE): Promise<GoalNumbers[]> {
  const query = StatsQuery.parse({ range: 'today', ...range })
  const rows = await getGoalReport(services, readSite(site, site.timezone), query)
  return rows.map(({ conversions, visitors, revenue }) => [conversions, visitors, revenue!])
}

const visit = (site: Site, visitorId: string, at: number, fields = {}) =>
  storeHits(db, 0, [enrichedHit(site, at, { visitorId, ...fields })])

const pay = (site: Site, fields: object) =>
  createPayment({ db, now: () => new Date(NOW), sayExisting() {} }, site, {
    ...{ amount: 100, currency: 'USD', transaction_id: randomUUID() },
    ...{ renewal: false, refunded: false, is_free_trial: false, recurring: false },
    ...fields,
  } as Parameters<typeof createPayment>[2])

/** What can happen to the events that the service writes, in any order. */
function stepsOf(random: Random, site: Site) {
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
    async removeAll() {
      if (random.chance(0.8)) return
      await purgePayments(db, site, 'USD')
      payments.length = 0
    },
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
    compress: () => compressSettledChunks(db, new Date(NOW)),
    foldStamps: () => mergeNewStamps(db, 1),
  }
  return steps
}

const OFTEN = ['pay', 'pay', 'pay', 'visit', 'importPayments', 'importStates']

test(`goal report: events of the service equal a recount, whatever happens to them (${SEQUENCES} sequences)`, {
  tags: ['full'],
}, async () => {
  // Its columns are kept from read to read.
  const services = readServices(db, new Date(NOW))
  let conversions = 0
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
      const counted = await readGoals(services, site, range)
      expect(counted, JSON.stringify({ seed, done, range })).toEqual(expected)
      conversions += counted.reduce((sum, [ofGoal]) => sum + ofGoal, 0)
    }
  }
  expect(conversions).toBeGreaterThan(SEQUENCES * STEPS)
})

test('goal report: a goal with an invalid pattern is refused by its name, and the others with it', async () => {
  const site = await newSite()
  await visit(site, randomUUID(), NOW - DAY)
  const [broken] = await db<{ id: string }[]>`
    insert into goals (site_no, display_name, type, match_value, match_operator)
    values (${site.siteNo}, 'Broken', 'page', '(', 'matches_regex') returning id`
  await expect(readGoals(readServices(db, new Date(NOW)), site)).rejects.toMatchObject({
    fields: { goal: [expect.stringContaining(`The goal Broken (${broken!.id}) cannot be looked for`)] },
  })
})

test('scroll goals: of two simultaneous pageviews of a path one converts, stored in any order', async () => {
  const [low, high] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
  const scrolled = (at: number, scroll: number) => ({ at, type: 'engagement', scroll }) as const
  const hits = [{ at: 0, id: low }, { at: 0, id: high }, scrolled(1, 80), scrolled(2, 90)]
  for (const order of [
    [0, 1, 2, 3],
    [0, 2, 1, 3],
  ]) {
    const site = await newSite()
    await db`
      insert into goals (site_no, display_name, type, match_value, match_operator, scroll_threshold)
      values (${site.siteNo}, 'Read', 'scroll', '/blog/*', 'matches_pattern', 50)`
    const visitor = randomUUID()
    for (const index of order) {
      const { at, ...fields } = hits[index]!
      await visit(site, visitor, NOW - DAY + at, { url: '/blog/a', ...fields })
    }
    expect(await readGoals(readServices(db, new Date(NOW)), site)).toEqual([[1, 1, 0]])
  }
})
