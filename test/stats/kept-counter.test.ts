import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SiteColumns } from '../../src/columns/site-columns.ts'
import { mergeNewStamps } from '../../src/columns/stamps.ts'
import { inSnapshot } from '../../src/db/connect.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { createKeptCounter } from '../../src/stats/columns-process/kept-counter.ts'
import { ANSWER_MS } from '../../src/stats/columns-process/messages.ts'
import { CountRefused } from '../../src/stats/counts/refused.ts'
import { enrichedHit } from '../support/hits.ts'
import { silentLog } from '../support/log.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'
import { useDatabase } from './stored-stream.ts'

const database = useDatabase()
const DAY = 86_400_000
const MINUTE = 60_000
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

const counterOf = (options: Partial<Parameters<typeof createKeptCounter>[0]>) =>
  createKeptCounter({
    db: database.db,
    log: silentLog,
    now: () => START + (DAYS + 5) * DAY,
    maxBytes: 2 ** 30,
    ...options,
  })

type Counter = ReturnType<typeof counterOf>

/** Returns the number of visits, or why nothing is counted. */
async function visits(counter: Counter, { siteNo }: TestSite, from: number, days: number) {
  const asked = question(from, days)
  try {
    const [counted] = await counter.count('traffic', siteNo, asked, [asked.start, asked.end])
    return counted!.sessions
  } catch (error) {
    if (error instanceof CountRefused) return error.refusal
    throw error
  }
}

/** Asks until there is a number. */
async function answered(ask: () => ReturnType<typeof visits>): Promise<number> {
  for (;;) {
    const counted = await ask()
    if (typeof counted === 'number') return counted
    await nextTurn()
  }
}

test('a question waits for columns of a long time', async () => {
  const site = await siteWithVisits()
  expect(await visits(counterOf({}), site, 0, DAYS)).toBe(DAYS)
})

test('a question that has waited long enough is told which share is prepared, and a later one is answered', async () => {
  const site = await siteWithVisits()
  const counter = counterOf({ patienceMs: 0 })
  expect(await visits(counter, site, 0, DAYS)).toEqual({ why: 'preparing', share: 0 })
  const shares = new Set<number>()
  const ask = async () => {
    const counted = await visits(counter, site, 0, DAYS)
    if (typeof counted === 'object' && counted.why === 'preparing') shares.add(counted.share)
    return counted
  }
  expect(await answered(ask)).toBe(DAYS)
  expect([...shares].every(share => share >= 0 && share < 1)).toBe(true)
  // A time long before the first event of the site has no blocks that are missing.
  expect(await answered(() => visits(counter, site, -40_000, 40_000 + DAYS))).toBe(DAYS)
})

test('columns that would take too much memory are refused; newer and shorter times are answered', async () => {
  const site = await siteWithVisits()
  const newest = new SiteColumns(site.siteNo)
  await inSnapshot(database.db, tx => newest.views(tx, [question(DAYS - 1, 1)], START + (DAYS + 5) * DAY))
  const counter = counterOf({ maxBytes: 4 * (newest.bytes + 10) })
  for (let turn = 0; turn < 5; turn++) {
    expect(await visits(counter, site, 0, DAYS)).toEqual({ why: 'large' })
    await nextTurn()
  }
  expect(await visits(counter, site, DAYS - 1, 1)).toBe(1)
})

test('columns are of the sites that were asked last', async () => {
  const sites = [await siteWithVisits(), await siteWithVisits(), await siteWithVisits()]
  const counter = counterOf({ awaitedMs: Number.POSITIVE_INFINITY, maxBytes: 1 })
  for (const site of [...sites, ...sites]) expect(await visits(counter, site, 0, DAYS)).toBe(DAYS)
})

test('days are stored, decoded where they are read, and made anew after a change', async () => {
  const site = await siteWithVisits()
  const options = { awaitedMs: Number.POSITIVE_INFINITY, leastPackedHits: 1 }
  expect(await visits(counterOf(options), site, 0, DAYS)).toBe(DAYS)
  const stored = () => database.db`
    select starts_at from column_blocks where site_no = ${site.siteNo} order by starts_at`
  const whole = await expect.poll(stored).toHaveLength(DAYS).then(stored)
  // No room for decoded columns: each is decoded again for each question.
  const later = counterOf({ patienceMs: 0, awaitedMs: 3 * DAY, leastPackedHits: 1, maxBytes: 2 ** 20 })
  await storeHits(database.db, 0, [
    enrichedHit(site, START + 3.5 * DAY, { visitorId: '00000000-0000-5000-8000-000000000999' }),
  ])
  await mergeNewStamps(database.db, 1)
  expect(await stored()).toHaveLength(whole.length - 1)
  expect(await visits(later, site, 5, DAYS - 5)).toBe(DAYS - 5)
  expect(await answered(() => visits(later, site, 0, DAYS))).toBe(DAYS + 1)
})

test('a filter finds texts of stored days that were not decoded before', async () => {
  const site = await siteWithVisits()
  const options = { awaitedMs: Number.POSITIVE_INFINITY, leastPackedHits: 1 }
  expect(await visits(counterOf(options), site, 0, DAYS)).toBe(DAYS)
  const stored = () => database.db`select from column_blocks where site_no = ${site.siteNo}`
  await expect.poll(stored).toHaveLength(DAYS)
  const asked = question(0, DAYS)
  const condition = { field: 'path', operator: 'is' as const, values: ['/'] }
  const filtered = { ...asked, filters: [{ dimension: 'path' as const, condition }] }
  const [counted] = await counterOf(options).count('traffic', site.siteNo, filtered, [asked.start, asked.end])
  expect(counted!.sessions).toBe(DAYS)
})

test('a question whose asker has gone is not counted', async () => {
  const site = await siteWithVisits()
  let now = START + (DAYS + 5) * DAY
  const counter = counterOf({ now: () => (now += ANSWER_MS) })
  expect(await visits(counter, site, DAYS - 1, 1)).toEqual({ why: 'preparing', share: 0 })
})

test('after an upgrade, columns of today are made for each question, and all of them once more when each change has a stamp', async () => {
  const { db } = database
  const site = await siteWithVisits()
  let now = START + (DAYS + 5) * DAY
  await db`update stamp_start set stamped_from = ${new Date(now + MINUTE)}`
  const counter = counterOf({ now: () => now, awaitedMs: Number.POSITIVE_INFINITY })
  const all = () => visits(counter, site, 0, DAYS + 6)
  expect(await all()).toBe(DAYS)
  const stamps = await db`select stamp::text from new_stamps where site_no = ${site.siteNo}`
  await storeHits(db, 0, [enrichedHit(site, now - 60 * MINUTE), enrichedHit(site, START + 3.6 * DAY)])
  const known = stamps.map(({ stamp }) => stamp)
  await db`delete from new_stamps where site_no = ${site.siteNo} and not (stamp::text = any(${known}))`
  expect(await all()).toBe(DAYS + 1)
  now += 2 * MINUTE
  expect(await all()).toBe(DAYS + 2)
  await db`update stamp_start set stamped_from = '-infinity'`
})
