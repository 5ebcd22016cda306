import { expect, test } from 'vitest'

import { expectSameReads, readAt } from '../../support/expect-reads.ts'
import { keptCounter } from '../../support/kept-counter.ts'
import { randomComparison } from '../../support/random-comparison.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomGoals } from '../../support/random-goals.ts'
import { randomVisits } from '../../support/random-visits.ts'
import type { RecountGoal } from '../../support/recount-conversions.ts'
import { randomMoney, storeMoney } from '../../support/recount-money.ts'
import { runs, seeds } from '../../support/runs.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { storeStream, useDatabase, within } from '../stored-stream.ts'

const database = useDatabase()
const ROUNDS = 4

/** Gives goals ids that are unique over all sites. */
const numbered = (goals: RecountGoal[], prefix: number): RecountGoal[] =>
  goals.map((goal, index) => ({
    ...goal,
    id: `${prefix.toString(16).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`,
    display_name: `${goal.display_name} (${index})`,
  }))

test('counted over columns, every read under filters equals a recount', async () => {
  const { db } = database
  const counted = { questions: 0 }
  const rows = keptCounter(db)
  const counter: typeof rows = {
    count: (...question) => {
      counted.questions += 1
      return rows.count(...question)
    },
  }
  for (const seed of seeds(runs(4))) {
    const { zone, hits, late } = randomVisits(seed + 40)
    const { site, world } = await storeStream(db, { zone, hits, arrivals: late })
    const money = randomMoney(seed, world)
    await storeMoney(db, site, money)
    for (let round = 0; round < ROUNDS; round++) {
      const number = seed * 10 + round
      const given = randomFilters(number, world)
      const goals = numbered([...randomGoals(number, world, 4), ...(given.goal ?? [])], 0xc0000 + number)
      const filters = given.goal ? { ...given, goal: goals.slice(4) } : given
      await replaceGoals(db, site, goals)
      const range = randomRange(number, world)
      const query = { ...randomComparison(number, world, range, readAt(world).getTime()), filters }
      const reads = { db, site, world, goals, money, query, number, counter }
      await within({ seed, round, zone, ...query }, expectSameReads(reads))
    }
  }
  expect(counted.questions).toBeGreaterThan(0)
})
