import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { fillExitPages } from '../../src/ingestion/fill-exit-pages.ts'
import type { Hit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { connectDb } from '../../src/platform/db/connect.ts'
import { dbOf, testDatabase, useDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { createTestSite, type TestSite } from '../support/sites.ts'

const MINUTE = 60_000
const NOON = Date.UTC(2026, 2, 10, 12)

const database = useDatabase(testDatabase)
const db = dbOf(database)
let site: TestSite
beforeAll(async () => {
  site = await createTestSite(db)
})

/** Stores each list of hits as a batch of its own, for a new visitor, and returns the exit pages of their sessions. */
async function exitsAfter(...batches: ({ at: number } & Partial<Hit>)[][]): Promise<unknown[]> {
  const visitorId = randomUUID()
  for (const batch of batches) {
    const hits = batch.map(({ at, ...fields }) =>
      enrichedHit(site, NOON + at * MINUTE, { visitorId, ...fields }),
    )
    await storeHits(db, 0, hits)
  }
  const rows = await db`
    select exit_path as path, (extract(epoch from exit_at - ${new Date(NOON)}) / 60)::int as at
    from sessions join visitors using (site_no, visitor_no)
    where sessions.site_no = ${site.siteNo} and visitors.id = ${visitorId}
    order by started_at`
  return [...rows]
}

/** Makes sessions as the version before has stored them. */
async function forgetExits(): Promise<void> {
  await db`update sessions set exit_path = '', exit_at = null where site_no = ${site.siteNo}`
  await db`delete from exit_page_fill`
  await db`insert into exit_page_fill select max(started_at) + interval '1 second' from sessions`
}

test.each([
  ['rows', async () => {}],
  [
    'compressed rows',
    async () => db`select compress_chunk(chunk, true) from show_chunks('sessions') as chunk`,
  ],
])('exit pages: sessions of before the upgrade are filled in: %s', async (_, prepare) => {
  site = await createTestSite(db)
  await exitsAfter(
    [{ at: -23 * 1440, url: '/older' }],
    [{ at: -22 * 1440, url: '/older' }],
    [{ at: -9 * 1440, url: '/old' }],
    [
      { at: 0, url: '/a' },
      { at: 1, url: '/b' },
    ],
  )
  const exits = () => db`
    select session_no, exit_path, exit_at, pageviews from sessions where site_no = ${site.siteNo} order by 1`
  const before = await exits()
  await forgetExits()
  await prepare()
  await db`update watermarks set watermark = 'infinity' where aggregate = 'daily_rollups'`
  await db`delete from dirty_buckets`
  // As after some runs: the server has a plan for any time. It would unpack rows of other weeks than its own, and reach this limit.
  const strict = connectDb(database.url, {
    max: 1,
    name: 'exit pages',
    settings: {
      plan_cache_mode: 'force_generic_plan',
      'timescaledb.max_tuples_decompressed_per_dml_transaction': '1',
    },
  })
  try {
    // Without time left, each call fills in one window.
    while (await fillExitPages(strict, () => false)) {}
  } finally {
    await strict.end()
  }
  expect(await exits()).toEqual(before.map(row => ({ ...row })))
  const marked =
    await db`select distinct bucket::date::text as day from dirty_buckets where aggregate = 'daily_rollups' order by 1`
  expect(marked.map(({ day }) => day)).toEqual(['2026-02-15', '2026-02-16', '2026-03-01', '2026-03-10'])
  expect(await db`select * from exit_page_fill`).toEqual([])
  expect(await fillExitPages(db)).toBe(false)
})

test('exit pages: a session of before the upgrade that goes on has its exit page at once, and keeps what is filled in', async () => {
  const visitorId = randomUUID()
  const send = (at: number, url: string, fields: Partial<Hit> = {}) =>
    storeHits(db, 0, [enrichedHit(site, NOON + at * MINUTE, { visitorId, url, ...fields })])
  const exit = async () => {
    const [row] = await db<{ path: string }[]>`
      select exit_path as path from sessions join visitors using (site_no, visitor_no) where visitors.id = ${visitorId}`
    return row!.path
  }
  await send(200, '/a')
  await send(210, '/b')
  await forgetExits()
  // Whether an earlier pageview is the last one cannot be told from the session.
  await send(205, '/late')
  expect(await exit()).toBe('')
  await fillExitPages(db, () => true)
  expect(await exit()).toBe('/b')
  await forgetExits()
  await send(215, '/c')
  expect(await exit()).toBe('/c')
})
