import { expect, test } from 'vitest'
import { getMrrChanges, MrrChangesQuery } from '../../../src/stats/money/changes.ts'
import { getMoneyBreakdown, MoneyBreakdownQuery } from '../../../src/stats/money/money-breakdown.ts'
import { getMrrMovements, MrrMovementsQuery } from '../../../src/stats/money/movements.ts'
import { getMoney, MoneyQuery } from '../../../src/stats/money/summary.ts'
import { dbOf, testDatabase, useDatabase } from '../../support/database.ts'
import { comparingOf, parametersOf, readAt } from '../../support/expect-reads.ts'
import { randomComparison } from '../../support/random-comparison.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomFrom } from '../../support/random-values.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { readerOf, readServices, readSite } from '../../support/read-services.ts'
import { localDate } from '../../support/recount-days.ts'
import {
  type Ledger,
  randomLedger,
  recountMoneyBreakdown,
  recountMoneyReport,
  recountMrrChanges,
  recountMrrSeries,
  storeLedger,
} from '../../support/recount-ledger.ts'
import type { Query } from '../../support/recount-metrics.ts'
import { hitDimensions, sessionDimensions, type World } from '../../support/recount-world.ts'
import { hasUsualCases, runs, seeds } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { storeStream, within } from '../stored-stream.ts'

const db = dbOf(useDatabase(testDatabase))

const STREAMS = runs(4)
const ROUNDS = 6
const SORTS = ['revenue', 'payments', 'customers', 'new_customers', 'mrr'] as const

test(`money: every page equals a recount (${STREAMS} streams)`, async () => {
  const kinds = new Set<string>()
  for (const seed of seeds(STREAMS)) {
    const { zone, hits, late } = randomVisits(seed + 600)
    const { site, world } = await storeStream(db, { zone, hits, arrivals: late })
    const ledger = randomLedger(seed, world)
    await storeLedger(db, site, ledger)
    for (let round = 0; round < ROUNDS; round++) {
      const number = 90_000 + seed * 1_000 + round
      const filters = round === 0 ? {} : randomFilters(number, world)
      await replaceGoals(db, site, filters.goal ?? [])
      const days = world.hits.map(({ at }) => localDate(zone, at)).sort()
      const range = round % 2 === 0 ? { from: days[0]!, to: days.at(-1)! } : randomRange(number, world)
      const query = { ...randomComparison(number, world, range, readAt(world).getTime()), filters }
      const asked = { site, world, ledger, query, number }
      await within({ seed, round, zone, ...query }, expectSamePages(asked))
      for (const { kind } of recountMrrChanges(world, ledger, query)) kinds.add(kind)
    }
    await replaceGoals(db, site, [])
  }
  if (hasUsualCases) expect(kinds.size).toBe(5)
})

interface Asked {
  site: TestSite
  world: World
  ledger: Ledger
  query: Query
  number: number
}

async function expectSamePages({ site, world, ledger, query, number }: Asked): Promise<void> {
  const services = readServices(db, readAt(world))
  const read = readerOf(services, readSite(site, world.zone), parametersOf(query))
  const comparing = comparingOf(query)
  expect(await read(getMoney, MoneyQuery, comparing)).toMatchObject(recountMoneyReport(world, ledger, query))
  const grouped = query.group && { group: query.group }
  expect(await read(getMrrMovements, MrrMovementsQuery, { ...grouped, ...comparing })).toMatchObject(
    recountMrrSeries(world, ledger, query),
  )
  const random = randomFrom(number)
  const perPage = random.pick([1, 3, 25])
  const page = random.pick([1, 1, 2])
  const pageOf = <Row>(rows: Row[]) => ({
    rows: rows.slice((page - 1) * perPage, page * perPage),
    total: rows.length,
  })
  const paging = { page, per_page: perPage }
  expect(await read(getMrrChanges, MrrChangesQuery, paging)).toEqual(
    pageOf(recountMrrChanges(world, ledger, query)),
  )
  for (const dimension of [random.pick(hitDimensions), random.pick(sessionDimensions)]) {
    for (const sort of SORTS) {
      const found = await read(getMoneyBreakdown, MoneyBreakdownQuery, { dimension, sort, ...paging })
      const rows = recountMoneyBreakdown(world, ledger, dimension, sort, query)
      expect(found, `${dimension} by ${sort}`).toEqual(pageOf(rows))
    }
  }
}

test('money: amounts that no number holds exactly are added up over columns', async () => {
  const at = Date.UTC(2026, 2, 10, 12)
  const site = readSite(await createTestSite(db), 'UTC')
  for (let count = 0; count < 2; count++) {
    await db`
      insert into revenue (site_no, at, payment_id, currency, amount_minor, is_recurring)
      values (${site.siteNo}, ${new Date(at)}, gen_random_uuid(), 'USD', 9007199254740993, false)`
  }
  const services = readServices(db, new Date(at + 1))
  const read = readerOf(services, site, { from: '2026-03-10', to: '2026-03-10', source: '(none)' })
  const { rows } = await read(getMoneyBreakdown, MoneyBreakdownQuery, { dimension: 'source' })
  expect(rows).toMatchObject([
    { value: '(none)', payments: 2, revenue: null, revenue_exact: '18014398509481986' },
  ])
})
