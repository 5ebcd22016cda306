import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { deleteGoal, saveGoal } from '../../src/goals/change-goal.ts'
import type { GoalBody } from '../../src/goals/schema.ts'
import type { Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { writeServiceEvents } from '../../src/revenue/ledger/service-events.ts'
import { getGoalReport } from '../../src/stats/reports/goals.ts'
import { testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPatterns } from '../support/in-process-patterns.ts'
import { readServices, readSite } from '../support/read-services.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { rollUpGoals } from '../support/roll-up-goals.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const MIDNIGHT = Date.UTC(2026, 2, 11)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const READ = { match_type: 'scroll', match_value: '/blog/*', scroll_threshold: 50 } as const
const SIGNUP = { match_type: 'event', match_value: 'signup' } as const

const database = useDatabase(testDatabase)
// Otherwise the days of a new site are rolled up only when the watermark moves.
beforeEach(async () => {
  await database.db`update watermarks set watermark = '-infinity', refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
})

const save = (site: TestSite, goal: GoalBody, id?: string) =>
  saveGoal(
    { db: database.db, patterns: inProcessPatterns() },
    { ...site, teamId: 'team', domain: 'shop.example' },
    goal,
    id,
  )

/** Hits of one visitor. */
function store(site: TestSite, visitorId: string, hits: (Partial<Hit> & { at: number })[]): Promise<unknown> {
  return storeHits(
    database.db,
    0,
    hits.map(({ at, ...fields }) => enrichedHit(site, at, { visitorId, ...fields })),
  )
}

/** Conversions and visitors of each goal from the day before midnight to the day after it. */
async function report(site: TestSite, from = '2026-03-10', to = '2026-03-11'): Promise<[number, number][]> {
  const services = readServices(database.db, new Date(MIDNIGHT + DAY))
  const rows = await getGoalReport(services, readSite(site, 'UTC'), { range: 'today', from, to })
  return rows.map(({ conversions, visitors }) => [conversions, visitors])
}

async function rollUp(now: number): Promise<void> {
  await rollUpAll(database.db, new Date(now))
  await rollUpGoals(database.db)
}

const storedGoals = (site: TestSite) => database.db<{ goals: number }[]>`
  select distinct cardinality(goals) as goals from daily_goal_rollups where site_no = ${site.siteNo} and goals is not null`

/** Makes a read of the counts visible: rows say something else. */
const falsify = (site: TestSite) =>
  database.db`update daily_goal_counts set conversions = 100 where site_no = ${site.siteNo}`

test('goal report: a changed goal is right at once, and is read from rollups later', async () => {
  const site = await createTestSite(database.db)
  const { id } = await save(site, SIGNUP)
  await store(site, randomUUID(), [
    { at: MIDNIGHT - HOUR, type: 'event', name: 'signup' },
    { at: MIDNIGHT + HOUR, type: 'event', name: 'signup' },
    { at: MIDNIGHT + 2 * HOUR, type: 'event', name: 'login' },
  ])
  await rollUp(MIDNIGHT + DAY)
  expect(await report(site)).toEqual([[2, 1]])
  await save(site, { ...SIGNUP, match_operator: 'contains', match_value: 'i' }, id)
  expect(await report(site)).toEqual([[3, 1]])
  await rollUpGoals(database.db)
  await falsify(site)
  expect(await report(site)).toEqual([[200, 1]])
  await save(site, SIGNUP, id)
  expect(await report(site)).toEqual([[2, 1]])
})

test('goal rollups: a goal that is deleted leaves no counts', async () => {
  const site = await createTestSite(database.db)
  const goal = await save(site, SIGNUP)
  await store(site, randomUUID(), [{ at: MIDNIGHT, type: 'event', name: 'signup' }])
  await rollUp(MIDNIGHT + DAY)
  const services = { db: database.db, audit: async () => {} }
  await deleteGoal(services, site, { id: goal.id, displayName: goal.display_name })
  await rollUpGoals(database.db)
  const left = await database.db`select from daily_goal_counts where site_no = ${site.siteNo}`
  expect([left.length, await storedGoals(site)]).toEqual([0, [{ goals: 0 }]])
})

test('goal report: events that the service wrote are added to rollups', async () => {
  const { db } = database
  const site = await createTestSite(db)
  await save(site, { match_type: 'event', match_value: '^(pay|sign)', match_operator: 'matches_regex' })
  await store(site, randomUUID(), [{ at: MIDNIGHT, type: 'event', name: 'signup' }])
  await rollUp(MIDNIGHT + DAY)
  await db.begin(tx =>
    writeServiceEvents(tx, site, [{ name: 'payment', at: new Date(MIDNIGHT - HOUR), key: 'a' }]),
  )
  await falsify(site)
  expect(await report(site)).toEqual([[101, 1]])
})

test('goal rollups: a goal that cannot be looked for keeps no other goal from being counted', async () => {
  const { db } = database
  const site = await createTestSite(db)
  await save(site, SIGNUP)
  await db`
    insert into goals (site_no, display_name, type, match_value, match_operator)
    values (${site.siteNo}, 'Broken', 'page', '(', 'matches_regex')`
  await store(site, randomUUID(), [{ at: MIDNIGHT, type: 'event', name: 'signup' }])
  await rollUp(MIDNIGHT + DAY)
  expect(await storedGoals(site)).toEqual([{ goals: 1 }])
  expect(await db`select from goal_rollup_queue where site_no = ${site.siteNo}`).toEqual([])
})

test('goal rollups: they end with the daily rollups that they were made for', async () => {
  const { db } = database
  const site = await createTestSite(db)
  await save(site, SIGNUP)
  await store(site, randomUUID(), [{ at: MIDNIGHT, type: 'event', name: 'signup' }])
  await rollUp(MIDNIGHT + DAY)
  await falsify(site)
  await db`update sites set timezone = 'Asia/Tokyo' where site_no = ${site.siteNo}`
  await rollUpAll(db, new Date(MIDNIGHT + DAY + HOUR))
  expect(await report(site)).toEqual([[1, 1]])
})

test('scroll goals: of two simultaneous pageviews of a path one converts, stored in any order', async () => {
  const [low, high] = ['00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']
  const hits = [
    { at: MIDNIGHT, url: '/blog/a', id: low },
    { at: MIDNIGHT, url: '/blog/a', id: high },
    { at: MIDNIGHT + 1, url: '/blog/a', type: 'engagement', scroll: 80 } as const,
    { at: MIDNIGHT + 2, url: '/blog/a', type: 'engagement', scroll: 90 } as const,
  ]
  for (const order of [
    [0, 1, 2, 3],
    [0, 2, 1, 3],
  ]) {
    const site = await createTestSite(database.db)
    await save(site, READ)
    const visitor = randomUUID()
    for (const index of order) await store(site, visitor, [hits[index]!])
    expect(await report(site)).toEqual([[1, 1]])
  }
})
