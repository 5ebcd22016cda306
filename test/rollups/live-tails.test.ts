// @module-tag full
import { beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { abandonWhen } from '../../src/db/abandon.ts'
import type { Db } from '../../src/db/connect.ts'
import type { EnrichedHit } from '../../src/ingestion/hit.ts'
import { storeHits } from '../../src/ingestion/store/store.ts'
import { rankValues } from '../../src/rollups/daily/rank-values.ts'
import { countSliceValues } from '../../src/rollups/daily/row-slice.ts'
import { inTailSnapshot, keepLiveTails } from '../../src/rollups/live-tail/kept-tails.ts'
import type { LiveTails } from '../../src/rollups/live-tail/live-tails.ts'
import type { Ranking } from '../../src/rollups/protocol.ts'
import { countRecentHits } from '../../src/rollups/recent/recent-hits.ts'
import { getLive } from '../../src/stats/live/live.ts'
import { busyHits } from '../support/busy-hits.ts'
import { testDatabase } from '../support/database.ts'
import { deferred } from '../support/deferred.ts'
import { enrichedHit } from '../support/hits.ts'
import { beginTail, countAndRollUp, sorted, tailSlices } from '../support/live-tail.ts'
import { readServices } from '../support/read-services.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 2, 10, 9)
const DAY = { start: Date.UTC(2026, 2, 10), end: Date.UTC(2026, 2, 11) }

let db: Db
let tails: LiveTails | undefined

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  return async () => {
    tails?.stop()
    await database.close()
  }
})

async function storeAll(batches: EnrichedHit[][]): Promise<void> {
  for (const [partition, batch] of batches.entries()) await storeHits(db, partition, batch)
}

async function keepTail(siteNo: number): Promise<void> {
  tails?.stop()
  tails = keepLiveTails(db, { maxBytes: 50_000_000, againMs: 0, everyMs: 50 })
  await tails.build(siteNo)
}

/** Stores most of an hour of a busy site, and keeps its tail. @returns what comes next */
async function begin(seed: number) {
  const site = await beginTail(db)
  const steps = [...busyHits(site, START, HOUR, seed)]
  const next = steps.splice(-4)
  for (const { batches } of steps) await storeAll(batches)
  const { now } = steps.at(-1)!
  // A site is busy that has hits in the minute before the watermark.
  await storeHits(db, 0, [enrichedHit(site, now - 30_000)])
  await countAndRollUp(db, now)
  await keepTail(site.siteNo)
  expect(tails!.has(site.siteNo)).toBe(true)
  return { site, siteNo: site.siteNo, next, now }
}

test('live tails: rankings are the same from memory and from rows', async () => {
  const { siteNo, next } = await begin(7)
  await storeAll(next[0]!.batches)
  const asked = { siteNo, window: DAY, zone: 'UTC', leavesOutEmpty: false, offset: 0, limit: 100 }
  const counted: Pick<Ranking, 'by' | 'shown'> = { by: ['visitors', 'sessions'], shown: ['hits', 'sessions'] }
  const rankAll = async () => {
    const rankings = []
    for (const dimension of ['path', 'title', 'country', 'exit_path', 'event_name', 'error', 'source'])
      rankings.push(await rankValues(db, { ...asked, ...counted, dimension }))
    return rankings
  }
  const fromMemory = await rankAll()
  expect(tails!.has(siteNo)).toBe(true)
  tails!.stop()
  expect(fromMemory).toEqual(await rankAll())
  expect(fromMemory.map(page => page!.rows.length > 0)).not.toContain(false)
})

test('live tails: who is on the site is the same from memory and from rows', async () => {
  const { siteNo, next } = await begin(11)
  const site = { siteNo, teamId: '', timezone: 'UTC', currency: 'USD', firstEventAt: null }
  const config = loadConfig({ SECRET_KEY: '0'.repeat(64) })
  for (const { batches, now } of next) {
    await storeAll(batches)
    // Some hits are later than what is now, and some are older than the first of the minutes.
    for (const at of [now - 90_000, now, now + 59_999]) {
      const services = { ...readServices(db, new Date(at)), config }
      let fromMemory = 0
      const run = async (task: string, input: unknown) => {
        const result = await services.rollups.run(task, input)
        if (task === 'countLive' && result) fromMemory++
        return result
      }
      const watched = { ...services, rollups: { ...services.rollups, run } }
      const noTails = { ...services, rollups: { ...services.rollups, run: async () => null } }
      const live = await getLive(watched, site, {})
      expect(fromMemory).toBe(1)
      expect(live).toEqual(await getLive(noTails, site, {}))
      expect(live.visitors).toBeGreaterThan(0)
      expect(live.pages.length).toBeGreaterThan(1)
      expect(live.minutes.filter(({ pageviews }) => pageviews > 0).length).toBeGreaterThan(10)
    }
  }
})

test('live tails: reads at the same time, while all partitions store, get the rows of their own snapshots', async () => {
  const { siteNo, next, now } = await begin(8)
  let fromMemory = 0
  const readOnce = (dimension: string) =>
    inTailSnapshot(db, siteNo, async (tx, tail) => {
      for (const slice of await tailSlices(tx, siteNo, now)) {
        const counted = await tail.count(slice, dimension)
        if (!counted) continue
        fromMemory++
        const rows = await countSliceValues(tx, siteNo, slice, [dimension])
        expect(sorted(counted)).toEqual(sorted(rows.get(dimension)))
      }
    })
  for (const { batches, now: at } of next) {
    const storing = batches.map(async (batch, partition) => {
      for (const hit of batch) await storeHits(db, partition, [hit])
    })
    let isStoring = true
    const stored = Promise.all(storing).finally(() => {
      isStoring = false
    })
    while (isStoring) await Promise.all(['path', 'source', 'exit_path'].map(readOnce))
    await stored
    await countRecentHits(db, new Date(at), { busyHits: 1 })
    await Promise.all(['path', 'source', 'exit_path'].map(readOnce))
  }
  expect(fromMemory).toBeGreaterThan(10)
})

test('live tails: the first read of a busy site counts rows, and begins to build its tail', async () => {
  const { siteNo, now } = await begin(9)
  tails!.stop()
  tails = keepLiveTails(db, { maxBytes: 50_000_000 })
  const countOnce = () =>
    inTailSnapshot(db, siteNo, async (tx, tail) => {
      const [slice] = await tailSlices(tx, siteNo, now)
      return tail.count(slice!, 'path')
    })
  expect(await countOnce()).toBeUndefined()
  // Waits for the one that has begun.
  await tails.build(siteNo)
  expect((await countOnce())!.size).toBeGreaterThan(0)
})

test('live tails: a read that waits for another one ends when its caller is gone', async () => {
  const { siteNo } = await begin(7)
  const [begun, released] = [deferred(), deferred()]
  const first = inTailSnapshot(db, siteNo, async () => {
    begun.resolve()
    await released.promise
  })
  await begun.promise
  const caller = new AbortController()
  const second = abandonWhen(caller.signal, () => inTailSnapshot(db, siteNo, async () => 'read'))
  caller.abort()
  await expect(second).rejects.toMatchObject({ code: 'unavailable' })
  released.resolve()
  await first
  expect(await inTailSnapshot(db, siteNo, async () => 'read')).toBe('read')
})
