import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { inSnapshot } from '../../../src/platform/db/connect.ts'
import { createKeptCounter } from '../../../src/stats/columns-process/kept-counter.ts'
import { ANSWER_MS } from '../../../src/stats/columns-process/messages.ts'
import { CountRefused } from '../../../src/stats/counts/refused.ts'
import type { View } from '../../../src/storage/columns/block.ts'
import { FORM } from '../../../src/storage/columns/encode-block.ts'
import { DecodedBlocks } from '../../../src/storage/columns/packed-block.ts'
import { SiteColumns } from '../../../src/storage/columns/site-columns.ts'
import { mergeNewStamps } from '../../../src/storage/columns/stamps.ts'
import { dbOf, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { randomFrom } from '../../support/random-values.ts'
import { IS_QUICK, seeded } from '../../support/runs.ts'
import { createTestSite, type TestSite } from '../../support/sites.ts'

const db = dbOf(useDatabase())
const [DAY, MINUTE] = [86_400_000, 60_000]
const START = Date.UTC(2026, 2, 1)
const DAYS = 12
const NOW = START + (DAYS + 5) * DAY
const MANY_SITES = IS_QUICK ? 30 : 200

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
  const site = await createTestSite(db)
  await storeHits(db, 0, visitsOf(site))
  return site
}

const visitsOf = (site: TestSite) =>
  Array.from({ length: DAYS }, (_, day) =>
    enrichedHit(site, START + (day + 0.5) * DAY, {
      visitorId: `00000000-0000-5000-8000-${String(day).padStart(12, '0')}`,
    }),
  )

const counterOf = (options: Partial<Parameters<typeof createKeptCounter>[0]>) =>
  createKeptCounter({
    db,
    log: silentLog,
    now: () => NOW,
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
  expect([...shares]).toEqual([...shares].sort((a, b) => a - b))
  // A time long before the first event of the site has no blocks that are missing.
  expect(await answered(() => visits(counter, site, -40_000, 40_000 + DAYS))).toBe(DAYS)
})

/** Returns how much memory the columns of some days take: of small days that are not packed; packed; and the packed ones decoded. */
async function sizeOf({ siteNo }: TestSite, from: number, days: number, now = NOW) {
  const decoded = new DecodedBlocks(2 ** 30)
  const unpacked = new SiteColumns(siteNo)
  const packed = new SiteColumns(siteNo, { decoded, leastPackedHits: 1 })
  await inSnapshot(db, tx => unpacked.views(tx, [question(from, days)], now))
  const { views } = await inSnapshot(db, tx => packed.views(tx, [question(from, days)], now))
  for (const block of (views[0] as View).blocks) void block.hits
  return { unpacked: unpacked.bytes, packed: packed.bytes, decoded: decoded.bytes }
}

test('columns that would take too much memory are refused; shorter times are answered, newer and older ones', async () => {
  const site = await siteWithVisits()
  const { unpacked } = await sizeOf(site, 5, 1)
  for (const awaitedMs of [4 * DAY, Number.POSITIVE_INFINITY]) {
    const counter = counterOf({ maxBytes: 4 * (unpacked + 10), awaitedMs })
    for (let turn = 0; turn < 5; turn++) {
      expect(await visits(counter, site, 0, DAYS)).toEqual({ why: 'large' })
      await nextTurn()
    }
    for (const day of [DAYS - 1, 0, 5, DAYS - 1]) expect(await visits(counter, site, day, 1)).toBe(1)
  }
})

test('a question that does not wait is told that columns take too much memory, once that is known', async () => {
  const site = await siteWithVisits()
  const { unpacked } = await sizeOf(site, 5, 1)
  const counter = counterOf({ maxBytes: 4 * (unpacked + 10), patienceMs: 0 })
  const ask = () => visits(counter, site, 0, DAYS)
  await expect.poll(ask, { interval: 1 }).toEqual({ why: 'large' })
  for (let turn = 0; turn < 5; turn++) expect(await ask()).toEqual({ why: 'large' })
})

test('days that do not fit when they are decoded are refused before one is decoded; fewer are answered', async () => {
  const site = await siteWithVisits()
  const all = await sizeOf(site, 0, DAYS)
  const some = await sizeOf(site, 3, 2)
  const maxBytes = Math.max(4 * all.packed, Math.ceil((some.decoded * 4) / 3))
  expect(all.decoded).toBeGreaterThan((maxBytes * 3) / 4)
  // Also rows of a day alone, before their blocks are there.
  const tight = new SiteColumns(site.siteNo, { decoded: new DecodedBlocks(1) })
  expect(await tight.views(db, [question(0, 1)], NOW)).toEqual({ views: ['large'], hasRead: true })
  const roomy = counterOf({ awaitedMs: Number.POSITIVE_INFINITY, leastPackedHits: 1 })
  expect(await visits(roomy, site, 0, DAYS)).toBe(DAYS)
  await expect.poll(() => db`select from column_blocks where site_no = ${site.siteNo}`).toHaveLength(DAYS)
  const counter = counterOf({ maxBytes, leastPackedHits: 1, patienceMs: 0 })
  const before = counter.bytes
  expect(await visits(counter, site, 0, DAYS)).toEqual({ why: 'large' })
  expect(counter.bytes - before).toBeLessThan(some.decoded / 2)
  for (const day of [3, 0, DAYS - 2]) {
    expect(await visits(counter, site, day, 2)).toBe(2)
    expect(counter.bytes).toBeLessThanOrEqual(maxBytes)
    expect(await visits(counter, site, 0, DAYS)).toEqual({ why: 'large' })
  }
})

test('columns of many sites, those that were asked last, stay within one bound', async () => {
  const random = randomFrom(seeded(1))
  const sites: TestSite[] = []
  for (let number = 0; number < MANY_SITES; number++) sites.push(await createTestSite(db))
  await storeHits(db, 0, sites.flatMap(visitsOf))
  // The newest days are blocks of hours and minutes.
  const now = START + (DAYS - 0.4) * DAY
  const { packed, decoded } = await sizeOf(sites[0]!, 0, DAYS, now)
  const maxBytes = 4 * (packed + decoded)
  const counter = counterOf({ maxBytes, leastPackedHits: 1, now: () => now })
  const asked = new Set<TestSite>()
  for (let round = 0; round < MANY_SITES / 2; round++) {
    const some = Array.from({ length: 1 + random.int(3) }, () => random.pick(sites))
    const from = random.int(DAYS)
    const counted = await Promise.all(some.map(site => visits(counter, site, from, DAYS - from)))
    expect(counted).toEqual(some.map(() => DAYS - from))
    for (const site of some) asked.add(site)
    await expect.poll(() => counter.bytes, { interval: 1 }).toBeLessThanOrEqual(maxBytes)
  }
  expect(asked.size * packed).toBeGreaterThan(maxBytes)
})

test('a block of another form is made anew, not read', async () => {
  const site = await siteWithVisits()
  const options = { awaitedMs: Number.POSITIVE_INFINITY, leastPackedHits: 1 }
  const stored = () => db`select form from column_blocks where site_no = ${site.siteNo}`
  expect(await visits(counterOf(options), site, 0, DAYS)).toBe(DAYS)
  const forms = Array.from({ length: DAYS }, () => ({ form: FORM }))
  await expect.poll(stored).toEqual(forms)
  await db`update column_blocks set form = form # 1, data = 'any' where site_no = ${site.siteNo}`
  expect(await visits(counterOf(options), site, 0, DAYS)).toBe(DAYS)
  await expect.poll(stored).toEqual(forms)
})

test('days are prepared from the newest to the oldest', async () => {
  const site = await siteWithVisits()
  const counter = counterOf({ patienceMs: 0, awaitedMs: 0, leastPackedHits: 1 })
  const lists: number[][] = []
  await answered(async () => {
    const rows = await db<{ day: number }[]>`
      select (extract(epoch from starts_at) * 1000)::bigint as day
      from column_blocks where site_no = ${site.siteNo} order by starts_at desc`
    lists.push(rows.map(({ day }) => (day - START) / DAY))
    return visits(counter, site, 0, DAYS)
  })
  for (const days of lists) expect(days).toEqual(days.map((_, index) => DAYS - 1 - index))
  expect(new Set(lists.map(({ length }) => length)).size).toBeGreaterThan(2)
})

test('days are stored, decoded where they are read, and made anew after a change', async () => {
  const site = await siteWithVisits()
  const options = { awaitedMs: Number.POSITIVE_INFINITY, leastPackedHits: 1 }
  expect(await visits(counterOf(options), site, 0, DAYS)).toBe(DAYS)
  const stored = () => db`
    select starts_at from column_blocks where site_no = ${site.siteNo} order by starts_at`
  const whole = await expect.poll(stored).toHaveLength(DAYS).then(stored)
  const later = counterOf({ patienceMs: 0, awaitedMs: 3 * DAY, leastPackedHits: 1 })
  await storeHits(db, 0, [
    enrichedHit(site, START + 3.5 * DAY, { visitorId: '00000000-0000-5000-8000-000000000999' }),
  ])
  await mergeNewStamps(db, 1)
  expect(await stored()).toHaveLength(whole.length - 1)
  expect(await visits(later, site, 5, DAYS - 5)).toBe(DAYS - 5)
  expect(await answered(() => visits(later, site, 0, DAYS))).toBe(DAYS + 1)
})

test('a filter finds texts of stored days that were not decoded before', async () => {
  const site = await siteWithVisits()
  const options = { awaitedMs: Number.POSITIVE_INFINITY, leastPackedHits: 1 }
  expect(await visits(counterOf(options), site, 0, DAYS)).toBe(DAYS)
  const stored = () => db`select from column_blocks where site_no = ${site.siteNo}`
  await expect.poll(stored).toHaveLength(DAYS)
  const asked = question(0, DAYS)
  const condition = { field: 'path', operator: 'is' as const, values: ['/'] }
  const filtered = { ...asked, filters: [{ dimension: 'path' as const, condition }] }
  const [counted] = await counterOf(options).count('traffic', site.siteNo, filtered, [asked.start, asked.end])
  expect(counted!.sessions).toBe(DAYS)
})

test('a question whose asker has gone is not counted', async () => {
  const site = await siteWithVisits()
  let now = NOW
  const counter = counterOf({ now: () => (now += ANSWER_MS) })
  expect(await visits(counter, site, DAYS - 1, 1)).toEqual({ why: 'preparing', share: 0 })
})

test('a time whose hits take too long to count is refused when that happens again; shorter ones are answered', async () => {
  const site = await siteWithVisits()
  let now = NOW
  const counter = counterOf({ now: () => now })
  const countSlowly = (from: number, days: number) => {
    const asked = question(from, days)
    const bounds = [asked.start, asked.end]
    Object.defineProperty(bounds, 0, {
      get() {
        now += ANSWER_MS
        return asked.start
      },
    })
    return counter.count('traffic', site.siteNo, asked, bounds)
  }
  await countSlowly(1, 2)
  await countSlowly(0, DAYS)
  expect(await visits(counter, site, 0, DAYS)).toBe(DAYS)
  await countSlowly(1, 2)
  for (let turn = 0; turn < 2; turn++) {
    expect(await visits(counter, site, 0, DAYS)).toEqual({ why: 'slow' })
    expect(await visits(counter, site, 5, 2)).toBe(2)
  }
  now += 10 * MINUTE
  expect(await visits(counter, site, 0, DAYS)).toBe(DAYS)
})

test('after an upgrade, columns of today are made for each question, and all of them once more when each change has a stamp', async () => {
  const site = await siteWithVisits()
  let now = NOW
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
