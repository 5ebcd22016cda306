import { beforeAll, expect, test } from 'vitest'
import type { GoalRecord } from '../../src/goals/schema.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { findTargets } from '../../src/stats/resolve/targets.ts'
import { enrichedHit } from '../support/hits.ts'
import { readServices } from '../support/read-services.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const TODAY = Date.UTC(2026, 2, 10)

const database = useDatabase()
let site: TestSite

const goal = (fields: Partial<GoalRecord>): GoalRecord => ({
  ...{ id: '00000000-0000-4000-8000-000000000001', createdAt: new Date(TODAY), displayName: 'Goal' },
  ...{ type: 'page', matchValue: '/docs/**', matchOperator: 'matches_pattern' },
  ...{ scrollThreshold: -1, currency: null, customProps: {}, ...fields },
})

const GOALS = [
  goal({}),
  goal({ matchValue: '/', matchOperator: 'is_not' }),
  goal({ type: 'event', matchValue: '^sign', matchOperator: 'matches_regex' }),
  goal({ type: 'scroll', matchValue: '/docs/*', scrollThreshold: 50 }),
  goal({ type: 'button', matchValue: '#buy', matchOperator: 'is' }),
]

beforeAll(async () => {
  site = await createTestSite(database.db)
  const hit = (at: number, fields: Parameters<typeof enrichedHit>[2]) => enrichedHit(site, at, fields)
  await storeHits(database.db, 0, [
    hit(TODAY - DAY, { url: '/' }),
    hit(TODAY - DAY + HOUR, { url: '/docs/a' }),
    hit(TODAY - DAY + HOUR, { url: '/Docs/A' }),
    hit(TODAY - DAY + 2 * HOUR, { type: 'event', name: 'signup', url: '/docs/of-an-event' }),
    hit(TODAY - DAY + 2 * HOUR, { type: 'button', name: 'button', url: '/', props: { selector: '#buy' } }),
    hit(TODAY - 3 * DAY, { url: '/docs/before-the-span' }),
  ])
  await rollUpAll(database.db, new Date(TODAY + 6 * HOUR))
  // Hits that arrive after the days were rolled up.
  await storeHits(database.db, 0, [
    hit(TODAY - DAY + 3 * HOUR, { url: '/docs/late' }),
    hit(TODAY + 7 * HOUR, { url: '/docs/new' }),
    hit(TODAY + 7 * HOUR, { type: 'event', name: 'signout', url: '/' }),
  ])
})

/** Returns the goals that each pageview, event and scroll path of the time span matches. */
async function matched() {
  const services = readServices(database.db, new Date(TODAY))
  const days = { start: new Date(TODAY - DAY), end: new Date(TODAY + DAY) }
  const span = { siteNo: site.siteNo, teamId: 'team', ...days }
  const { hits, scrolls } = await findTargets(services, span, GOALS)
  return {
    hits: new Map(hits.map(row => [`${row.kind} ${row.value}`, row.goals])),
    scrolls: new Map(scrolls.map(row => [row.path, row.goals])),
  }
}

test('goal targets: goals match the same values in hits and in daily rollups', async () => {
  const expected: [string, number[]][] = [
    ['pageview /docs/a', [0, 1]],
    ['pageview /docs/late', [0, 1]],
    ['pageview /docs/new', [0, 1]],
    ['pageview /Docs/A', [1]],
    ['event signup', [2]],
    ['event signout', [2]],
    ['button #buy', [4]],
  ]
  const read = await matched()
  expect(read.hits).toEqual(new Map(expected))
  expect([...read.scrolls.keys()].sort()).toEqual(['/docs/a', '/docs/late', '/docs/new'])

  // Raises one count, so that there seem to be too many hits to scan; both kinds are tried.
  for (const column of ['pageviews', 'custom_events']) {
    const { db } = database
    await db`update daily_rollups set ${db(column)} = ${db(column)} + 1000000 where site_no = ${site.siteNo}`
    const rolledUp = await matched()
    for (const [key, goals] of expected) expect(rolledUp.hits.get(key)).toEqual(goals)
    // Only an event has this path, no pageview.
    const others = [...rolledUp.hits.keys()].filter(key => !read.hits.has(key))
    expect({ column, others }).toEqual({ column, others: ['pageview /docs/of-an-event'] })
    expect(rolledUp.scrolls.get('/docs/late')).toEqual([3])
    await db`update daily_rollups set ${db(column)} = ${db(column)} - 1000000 where site_no = ${site.siteNo}`
  }
})
