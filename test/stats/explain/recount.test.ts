// @module-tag full
import { expect, test } from 'vitest'
import { refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'
import { expectExplained } from '../../support/expect-explained.ts'
import { readAt } from '../../support/expect-reads.ts'
import { randomComparison } from '../../support/random-comparison.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomGoals } from '../../support/random-goals.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { randomMoney, storeMoney } from '../../support/recount-money.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { runs, seeds } from '../../support/runs.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { storeStream, within } from '../stored-stream.ts'

const database = useDatabase(testDatabase)

const LONG_AFTER = new Date(Date.UTC(2026, 5, 1))
const STREAMS = runs(2)

test(`explain: number, parts and rows equal the reads and a recount, with any filter (${STREAMS} streams)`, async () => {
  const { db } = database
  for (const seed of seeds(STREAMS)) {
    const stream = randomVisits(seed)
    const arrival = seed % 2 === 0 ? 'timely' : 'late'
    let clock = 0
    const { site, world } = await storeStream(
      db,
      { ...stream, arrivals: stream[arrival] },
      async (now, batch, batches) => {
        clock = Math.max(clock, now)
        // Hits that come later make these rollups dirty.
        if (batch <= (batches * 2) / 3) await rollUpAll(db, new Date(clock))
      },
    )
    await storeMoney(db, site, randomMoney(seed, world))
    await db`select derive_mrr_changes(${site.siteNo}, array['s:sub'])`
    await db`insert into processor_connections (site_no, provider, webhook_secret) values (${site.siteNo}, 'stripe', '\\x00')`
    if (seed % 2 === 1) await refreshAggregate(db, 'hits', LONG_AFTER)
    for (let round = 0; round < 3; round++) {
      const number = seed * 3 + round
      const given = round === 0 ? {} : randomFilters(number * 2, world)
      const all = [...randomGoals(number, world, 3), ...(given.goal ?? [])].map((goal, index) => ({
        ...goal,
        id: `${number.toString(16).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`,
        display_name: `${goal.display_name} (${index})`,
      }))
      const filters = given.goal ? { ...given, goal: all.slice(3) } : given
      await replaceGoals(db, site, all)
      const range = randomComparison(number, world, randomRange(number, world), readAt(world).getTime())
      const query = { ...range, filters }
      const point = { seed, arrival, round, zone: stream.zone, ...query }
      await within(point, expectExplained({ db, site, world, goals: all.slice(0, 3), query, number }))
    }
  }
  expect.hasAssertions()
})
