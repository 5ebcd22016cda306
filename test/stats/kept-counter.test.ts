import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SiteColumns } from '../../src/columns/site-columns.ts'
import { inSnapshot } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { createKeptCounter } from '../../src/stats/columns-process/kept-counter.ts'
import { enrichedHit } from '../support/hits.ts'
import { silentLog } from '../support/log.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const database = useDatabase()
const DAY = 86_400_000
const START = Date.UTC(2026, 2, 1)
const DAYS = 12

const question = (from: number, days: number) => ({
  start: START + from * DAY,
  end: START + (from + days) * DAY,
  filters: [],
  properties: [],
  goals: [],
  requested: 0 as const,
})

/** One visit a day, at noon. */
async function siteWithVisits(): Promise<TestSite> {
  const site = await createTestSite(database.db)
  const at = (day: number) => START + (day + 0.5) * DAY
  await storeHits(
    database.db,
    0,
    Array.from({ length: DAYS }, (_, day) =>
      enrichedHit(site, at(day), { visitorId: `00000000-0000-5000-8000-${String(day).padStart(12, '0')}` }),
    ),
  )
  return site
}

const counterOf = (options: { maxBytes?: number; awaitedMs?: number; now?: () => number }) =>
  createKeptCounter({
    db: database.db,
    log: silentLog,
    now: () => START + (DAYS + 5) * DAY,
    maxBytes: 2 ** 30,
    ...options,
  })

type Counter = ReturnType<typeof counterOf>
const visits = async (counter: Counter, { siteNo }: TestSite, from: number, days: number) => {
  const asked = question(from, days)
  const [counted] = (await counter.count('traffic', siteNo, asked, [asked.start, asked.end])) ?? []
  return counted?.sessions
}

/** Asks until there is an answer. */
async function answered(ask: () => Promise<number | undefined>): Promise<number> {
  for (;;) {
    const counted = await ask()
    if (counted !== undefined) return counted
    await nextTurn()
  }
}

test('columns of a long time are prepared while other sources answer, also when questions come all the time', async () => {
  const site = await siteWithVisits()
  const counter = counterOf({})
  expect(await visits(counter, site, 0, DAYS)).toBeUndefined()
  expect(await answered(() => visits(counter, site, 0, DAYS))).toBe(DAYS)
  // A time long before the first event of the site has no blocks that are missing.
  expect(await answered(() => visits(counter, site, -40_000, 40_000 + DAYS))).toBe(DAYS)
})

test('columns that would take too much memory are not kept; newer and shorter times are answered', async () => {
  const site = await siteWithVisits()
  const newest = new SiteColumns(site.siteNo)
  await inSnapshot(database.db, tx => newest.views(tx, [question(DAYS - 1, 1)], START + (DAYS + 5) * DAY))
  const counter = counterOf({ maxBytes: newest.bytes + 10 })
  expect(await visits(counter, site, 0, DAYS)).toBeUndefined()
  for (let turn = 0; turn < 50; turn++) {
    expect(await visits(counter, site, 0, DAYS)).toBeUndefined()
    await nextTurn()
  }
  expect(await visits(counter, site, DAYS - 1, 1)).toBe(1)
})

test('columns are of the sites that were asked last', async () => {
  const sites = [await siteWithVisits(), await siteWithVisits(), await siteWithVisits()]
  const counter = counterOf({ awaitedMs: Number.POSITIVE_INFINITY, maxBytes: 1 })
  for (const site of [...sites, ...sites]) expect(await visits(counter, site, 0, DAYS)).toBe(DAYS)
})
