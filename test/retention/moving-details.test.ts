import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { moveDetailsFrom } from '../../src/retention/keep-numbers.ts'
import { markBuckets } from '../../src/rollups/dirty.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { enrichedHit } from '../support/hits.ts'
import { NOW, newSite, settle } from './retained-sites.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const OLD = Date.parse('2026-03-03T10:00:00Z')

// The embedded database has one session: transactions run one after the other.
test('retention: details of a day do not move while a transaction stores an old hit, which marks the day first', {
  tags: ['native'],
}, async () => {
  const { db } = database
  const site = await newSite(db, { months: 1 })
  await storeHits(db, 0, [enrichedHit(site, OLD), enrichedHit(site, NOW.getTime())])
  await settle(db)
  let moving: Promise<unknown> = Promise.resolve()
  await db.begin(async tx => {
    await markBuckets(tx, 'hits', [{ siteNo: site.siteNo, at: OLD }])
    moving = moveDetailsFrom(db, NOW, () => true)
    moving.catch(() => {})
    await expect
      .poll(
        async () =>
          (
            await tx`
              select from pg_locks
              where not granted and pid <> pg_backend_pid()
                and (database is null or database = (select oid from pg_database where datname = current_database()))`
          ).length,
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0)
  })
  await moving
  const [kept] = await db`select details_from as "detailsFrom" from sites where site_no = ${site.siteNo}`
  expect(kept!.detailsFrom).toBeNull()
  await settle(db)
  await moveDetailsFrom(db, NOW, () => true)
  const [moved] = await db`select details_from as "detailsFrom" from sites where site_no = ${site.siteNo}`
  expect(moved!.detailsFrom.getTime()).toBeGreaterThan(OLD)
})
