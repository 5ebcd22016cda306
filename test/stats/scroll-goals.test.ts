import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveGoal } from '../../src/goals/change-goal.ts'
import type { Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { getGoalReport } from '../../src/stats/reports/goals.ts'
import { sharedDatabase, type TestDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { inProcessPatterns } from '../support/in-process-patterns.ts'
import { readServices } from '../support/read-services.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const NOON = Date.UTC(2026, 2, 10, 12)
const LOW = '00000000-0000-7000-8000-000000000001'
const HIGH = '00000000-0000-7000-8000-000000000002'

let database: TestDatabase
beforeAll(async () => {
  database = await sharedDatabase()
})
afterAll(() => database.close())

/** Returns the conversions of the goal: 50 % scrolled on any page of the blog. */
async function conversionsOf(site: TestSite): Promise<number> {
  const { db } = database
  const services = {
    ...readServices(db, new Date(NOON + 3_600_000)),
  }
  const shape = { siteNo: site.siteNo, teamId: 'team', timezone: 'UTC', currency: 'USD', firstEventAt: null }
  const [goal] = await getGoalReport(services, shape, {
    range: 'today',
    from: '2026-03-10',
    to: '2026-03-10',
  })
  return goal!.conversions
}

async function siteWithGoal(): Promise<TestSite> {
  const site = await createTestSite(database.db)
  await saveGoal(
    { db: database.db, patterns: inProcessPatterns() },
    { ...site, teamId: 'team' },
    {
      display_name: 'Half read',
      match_type: 'scroll',
      match_value: '/blog/',
      match_operator: 'starts_with',
      scroll_threshold: 50,
    },
  )
  return site
}

test('scroll goals: pageviews of two paths at the same time convert separately', async () => {
  const site = await siteWithGoal()
  const visitorId = randomUUID()
  const hit = (at: number, fields: Partial<Hit>) => enrichedHit(site, at, { visitorId, ...fields })
  await storeHits(database.db, 0, [
    hit(NOON, { url: '/blog/a' }),
    hit(NOON, { url: '/blog/b' }),
    hit(NOON + 1, { type: 'engagement', url: '/blog/a', scroll: 80 }),
    hit(NOON + 1, { type: 'engagement', url: '/blog/b', scroll: 50 }),
    hit(NOON + 2, { type: 'engagement', url: '/blog/b', scroll: 90 }),
  ])
  expect(await conversionsOf(site)).toBe(2)
})

test.each([
  ['in order', [0, 1, 2, 3]],
  ['with the second pageview late', [0, 2, 1, 3]],
])('scroll goals: of two simultaneous pageviews of a path one converts, stored %s', async (_, order) => {
  const site = await siteWithGoal()
  const visitorId = randomUUID()
  const url = '/blog/a'
  const hits = [
    enrichedHit(site, NOON, { visitorId, url, id: LOW }),
    enrichedHit(site, NOON, { visitorId, url, id: HIGH }),
    enrichedHit(site, NOON + 1, { visitorId, url, type: 'engagement', scroll: 80 }),
    enrichedHit(site, NOON + 2, { visitorId, url, type: 'engagement', scroll: 90 }),
  ]
  for (const index of order) await storeHits(database.db, 0, [hits[index]!])
  expect(await conversionsOf(site)).toBe(1)
})
