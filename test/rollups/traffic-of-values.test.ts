import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { dimensionsOfLevel } from '../../src/dimensions/dimensions.ts'
import { runTask } from '../../src/rollups/protocol.ts'
import { type ResolvedQuery, sessionValuesOf } from '../../src/stats/filters/resolved-query.ts'
import { countTraffic } from '../../src/stats/metrics/traffic.ts'
import { resolveRange, seriesBuckets, type TimeSpan, toWindow } from '../../src/time/range.ts'
import { testDatabase } from '../support/database.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { randomVisits } from '../support/random-visits.ts'
import { recountSessions } from '../support/recount.ts'
import { addDays, localDate } from '../support/recount-days.ts'
import { worldOf } from '../support/recount-world.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { sweep } from '../support/runs.ts'
import { createTestSite } from '../support/sites.ts'
import { storeVisits, withoutRepeatedDrops } from '../support/stored-visits.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const DIMENSIONS = [...dimensionsOfLevel('session'), ...dimensionsOfLevel('session-row')]

let db: Db

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  return () => database.close()
})

type OfValues = Pick<ResolvedQuery, 'siteNo'> & TimeSpan & { dimension: string; values: string[] }

/** @param times how often the filter is given: more than once, only rows can answer */
function resolvedOf({ dimension, values, ...span }: OfValues, times = 1): ResolvedQuery {
  const condition = { field: dimension, operator: 'is' as const, values }
  const filter = { dimension: dimension as (typeof DIMENSIONS)[number], condition }
  return {
    ...span,
    filters: { dimensions: Array.from({ length: times }, () => filter), property: undefined },
    goal: undefined,
  }
}

async function valuesIn(db: Db, siteNo: number, dimension: string): Promise<string[]> {
  const rows = await db<{ value: string }[]>`
    select distinct ${db(dimension)} as value from sessions where site_no = ${siteNo} order by 1`
  return rows.map(({ value }) => value)
}

test.each(
  sweep([
    { seed: 1, rollups: 'after all hits' },
    { seed: 2, rollups: 'after each batch' },
    { seed: 3, rollups: 'before the last third' },
  ] as const),
)('traffic of values: rollups made $rollups have the totals of the rows', async ({ seed, rollups }) => {
  const stream = randomVisits(seed)
  const recount = recountSessions(stream.late)
  const world = worldOf(stream.hits, recount, stream.zone)
  const site = await createTestSite(db, { timezone: stream.zone })
  const batches = withoutRepeatedDrops(stream.late, recount.dropped)
  let batchNo = 0
  await storeVisits(db, site, batches, async now => {
    batchNo += 1
    const isMade = rollups === 'after each batch' || batchNo === Math.ceil((batches.length * 2) / 3)
    if (rollups !== 'after all hits' && isMade) await rollUpAll(db, new Date(now))
  })
  const times = world.hits.map(({ at }) => at)
  const now = new Date(Math.max(...times) + 3 * DAY)
  if (rollups === 'after all hits') await rollUpAll(db, now)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const dates = { from: localDate(stream.zone, first), to: addDays(localDate(stream.zone, last), 1) }
  const clock = { zone: stream.zone, now, firstEventAt: new Date(first) }
  const range = resolveRange({ range: 'today', ...dates, group: 'day' }, clock)
  const services = { reads: db, rollups: inProcessPool(db) }
  const days = seriesBuckets(range)
  const answered = { whole: 0, days: 0 }
  // Each stream has a third of them, and one of either level.
  const always: string[] = ['country', 'browser_version']
  const chosen = DIMENSIONS.filter((name, index) => index % 3 === seed % 3 || always.includes(name))
  for (const dimension of chosen) {
    const values = await valuesIn(db, site.siteNo, dimension)
    for (const some of [[values[0]!], [...values.slice(1), 'no such value']]) {
      const whole = { siteNo: site.siteNo, start: range.start, end: range.end, dimension, values: some }
      // Details may begin within a day.
      const late = { ...whole, start: new Date(range.start.getTime() + 5 * HOUR) }
      for (const [asked, buckets] of [
        [whole, [whole]],
        [whole, days],
        [late, days],
      ] as const) {
        const found = await runTask(services.rollups, 'countTrafficOfValues', {
          ...sessionValuesOf(resolvedOf(asked))!,
          windows: buckets.map(toWindow),
          parts: ['hits', 'sessions'],
        })
        if (found) answered[buckets.length === 1 ? 'whole' : 'days'] += 1
        const counted = await countTraffic(services, resolvedOf(asked), buckets)
        const ofRows = await countTraffic(services, resolvedOf(asked, 2), buckets)
        expect(counted, `${dimension} ${some}`).toEqual(ofRows)
      }
    }
  }
  if (rollups !== 'before the last third') expect(Math.min(answered.whole, answered.days)).toBeGreaterThan(0)
})
