// @module-tag full
import { expect, test } from 'vitest'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'
import { expectSameReads } from '../../support/expect-reads.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomGoals } from '../../support/random-goals.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { recountSessions } from '../../support/recount.ts'
import { randomMoney, storeMoney } from '../../support/recount-money.ts'
import { worldOf } from '../../support/recount-world.ts'
import { runs, seeds } from '../../support/runs.ts'
import { createTestSite } from '../../support/sites.ts'
import { replaceGoals, storeVisits, withoutRepeatedDrops } from '../../support/stored-visits.ts'
import { aggregateAll, eraseNow, expectConsistent, TINY } from './steps.ts'

const database = useDatabase(testDatabase)

const LONG_AFTER = new Date(Date.UTC(2026, 5, 1))
const STREAMS = runs(2)

test(`erasure: without a visitor, every read equals a recount of the other hits (${STREAMS} streams)`, async () => {
  const { db } = database
  for (const seed of seeds(STREAMS)) {
    const stream = randomVisits(seed)
    const site = await createTestSite(db, { timezone: stream.zone })
    const sent = recountSessions(stream.late)
    await storeVisits(db, site, withoutRepeatedDrops(stream.late, sent.dropped))
    const all = worldOf(stream.hits, sent, stream.zone)
    const person = mostOften(all.visits.map(({ visitor }) => visitor))
    const money = randomMoney(seed, all)
    await storeMoney(db, site, money)
    await aggregateAll(db, LONG_AFTER)
    if (seed % 2 === 0) await compressSettledChunks(db, LONG_AFTER)
    await eraseNow(db, site, person, LONG_AFTER, seed % 3 === 0 ? {} : TINY)

    const others = <Hit extends { visitor: string }>(hits: Hit[]) =>
      hits.filter(hit => hit.visitor !== person)
    const rest = recountSessions(stream.late.map(others))
    const world = worldOf(others(stream.hits), rest, stream.zone)
    /** Money stays; its link to the erased visits goes. */
    const linked = <Paid extends (typeof money.payments)[number] | (typeof money.movements)[number]>(
      paid: Paid,
    ): Paid => {
      const { visitor, startedAt } = paid.visit ?? {}
      return {
        ...paid,
        visit: world.visits.find(visit => visit.visitor === visitor && visit.startedAt === startedAt),
      }
    }
    const moneyLeft = { payments: money.payments.map(linked), movements: money.movements.map(linked) }
    await expectConsistent(db, site)
    for (let round = 0; round < 3; round++) {
      const number = seed * 7 + round
      const given = round === 0 ? {} : randomFilters(number, world)
      const goals = randomGoals(number, world, 6).map((goal, index) => ({
        ...goal,
        id: `${String(number).padStart(8, '0')}-0000-4000-8000-${String(index).padStart(12, '0')}`,
        display_name: `${goal.display_name} (${index})`,
      }))
      await replaceGoals(db, site, goals)
      const { goal: _goal, ...filters } = given
      const query = { ...randomRange(number, world), filters }
      const asked = { world, goals, money: moneyLeft, query, number }
      await expectSameReads({ db, site, ...asked }).catch((cause: Error) => {
        throw new Error(`${JSON.stringify({ seed, round, query })}: ${cause.message}`, { cause })
      })
    }
  }
})

function mostOften(values: string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1])
  expect(most![1]).toBeGreaterThan(0)
  return most![0]
}
