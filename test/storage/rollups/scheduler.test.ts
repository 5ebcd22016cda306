import { expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { PURGE_JOBS } from '../../../src/outgoing/retention/purge-deleted-sites.ts'
import { createLease } from '../../../src/platform/redis/lease.ts'
import { rollUpDay } from '../../../src/storage/rollups/daily/roll-up-day.ts'
import { isDue, startScheduler } from '../../../src/storage/rollups/scheduler.ts'
import { testDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { silentLog } from '../../support/log.ts'
import { useRedis } from '../../support/redis.ts'
import { createTestSite } from '../../support/sites.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 1, 1)
/** Long after the last hit: everything is below the watermark. */
const NOW = new Date(START + 25 * DAY)

test('scheduler: a job is due after its pause, and at once when the clock was set back', () => {
  expect([999, 1_000, 5_000].map(now => isDue(1_000, 600, now))).toEqual([false, true, true])
  expect([400, 399].map(now => isDue(1_000, 600, now))).toEqual([false, true])
})

const server = useRedis()

test('scheduler: it runs the jobs that are given to it: the rows of a deleted site are purged', async () => {
  // A database of its own: the scheduler rolls up all sites of a database before it purges.
  const { db, close } = await testDatabase()
  const site = await createTestSite(db)
  await storeHits(db, 0, [enrichedHit(site, START), enrichedHit(site, START + DAY)])
  const countRows = async () => (await db`select from events where site_no = ${site.siteNo}`).length
  expect(await countRows()).toBe(2)
  await db`update sites set deleted_at = ${NOW} where site_no = ${site.siteNo}`

  const { redis } = server
  const startedAt = performance.now()
  const scheduler = startScheduler({
    db,
    redis,
    rollUp: day => rollUpDay(db, day),
    jobs: PURGE_JOBS,
    lease: createLease(redis, 'scheduler'),
    refreshing: createLease(redis, 'refreshing'),
    log: silentLog,
    // A running clock: work that a busy machine did not finish is scheduled again.
    now: () => new Date(NOW.getTime() + performance.now() - startedAt),
  })
  await expect.poll(countRows, { timeout: 150_000 }).toBe(0)
  await scheduler.stop()
  await close()
})
