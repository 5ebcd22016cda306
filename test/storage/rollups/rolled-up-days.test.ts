import { describe, expect, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import type { Pool } from '../../../src/platform/threads/pool.ts'
import { getTimeseries, TimeseriesQuery } from '../../../src/stats/reads/timeseries.ts'
import { rollUpDay } from '../../../src/storage/rollups/daily/roll-up-day.ts'
import { rollUpBehind, rollUpSites } from '../../../src/storage/rollups/daily/roll-up-sites.ts'
import type { RolledUpDay } from '../../../src/storage/rollups/protocol.ts'
import { OPEN_MS } from '../../../src/storage/rollups/watermarks.ts'
import { inProcessPool } from '../../support/in-process-pool.ts'
import { readerOf, readServices, readSite } from '../../support/read-services.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { ADA, BOB, DAY, HOUR, MINUTE, OVER, RANGES, type Story, TODAY, useStories } from './story.ts'

// Which days are rolled up, and when.

const { database, begin, beginWithVisits } = useStories()

test('rollups: days behind a running import are rolled up at once, and not again after the import', {
  tags: ['full'],
}, async () => {
  const { site, hit, send, rollUp, compare } = await begin()
  await send(hit(TODAY + HOUR, { visitorId: ADA }))
  await rollUp(TODAY + 2 * HOUR)
  const dayBack = (days: number) => TODAY - days * DAY
  await send(
    hit(dayBack(40) + HOUR, { visitorId: ADA, url: '/behind' }),
    hit(dayBack(39) + 23.9 * HOUR, { visitorId: BOB, url: '/behind' }),
    hit(dayBack(37) + HOUR, { visitorId: ADA, url: '/being written' }),
  )
  const rolledUp: number[] = []
  const rollUpAndNote = async (day: RolledUpDay) => {
    rolledUp.push((TODAY - day.start) / DAY)
    await rollUpDay(database.db, day)
  }
  const now = new Date(TODAY + 2 * HOUR)
  await rollUpBehind(database.db, now, rollUpAndNote, { until: dayBack(38) + HOUR, budgetMs: 10_000 })
  expect(rolledUp).toEqual([39, 40])
  const marks =
    await database.db`select bucket from dirty_buckets where aggregate = 'daily_rollups' and site_no = ${site.siteNo}`
  expect(marks.map(({ bucket }) => bucket.getTime())).toEqual([dayBack(37) + HOUR])
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])

  await send(hit(dayBack(39) + 2 * HOUR, { visitorId: ADA, url: '/late' }))
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])
  rolledUp.length = 0
  while (await rollUpSites(database.db, now, rollUpAndNote, { budgetMs: 10_000 })) {}
  expect(rolledUp).toEqual(expect.arrayContaining([39, 37]))
  expect(rolledUp).not.toContain(40)
  await compare([{ from: '2026-01-25', to: '2026-03-10' }])
})

test('rollups: an import into a site without rollups rolls up the days that it has passed', async () => {
  const { site, hit, send, compare } = await begin({ timezone: 'America/New_York' })
  const other = await begin({ isBeside: true })
  await other.send(other.hit(TODAY + HOUR))
  await other.rollUp(TODAY + 2 * HOUR)
  await send(hit(TODAY - 9 * DAY, { visitorId: ADA }), hit(TODAY - DAY, { visitorId: BOB }))
  const now = new Date(TODAY + 2 * HOUR)
  await rollUpBehind(database.db, now, day => rollUpDay(database.db, day), {
    until: TODAY - 3 * DAY,
    budgetMs: 10_000,
  })
  const days =
    await database.db`select starts_at from daily_rollups where site_no = ${site.siteNo} order by starts_at`
  expect(days.map(({ starts_at }) => starts_at)).toEqual([new Date('2026-02-28T05:00:00Z')])
  await rollUpAll(database.db, now)
  await compare([{ from: '2026-02-25', to: '2026-03-10' }])
})

/** The rolled-up days of a site, in days after today. */
async function daysOf({ site }: Story): Promise<number[]> {
  const rows = await database.db`
    select starts_at from daily_rollups where site_no = ${site.siteNo} and starts_at >= ${new Date(TODAY - 4 * DAY)} order by starts_at`
  return rows.map(({ starts_at }) => (starts_at.getTime() - TODAY) / DAY)
}

const marksOf = ({ site }: Story) =>
  database.db`select from dirty_buckets where aggregate = 'daily_rollups' and site_no = ${site.siteNo}`

test('rollups: a day is rolled up when it is over; a day without hits gets its rollup within 20 hours', async () => {
  const quiet = await begin()
  const busy = await begin({ isBeside: true })
  for (const { send, hit } of [quiet, busy]) await send(hit(TODAY - 2 * DAY + HOUR, { visitorId: ADA }))
  await busy.send(busy.hit(TODAY - DAY + HOUR, { visitorId: BOB }))
  await quiet.rollUpAgain(OVER - DAY)
  expect([await daysOf(quiet), await daysOf(busy)]).toEqual([[-2], [-2]])
  await quiet.rollUpAgain(OVER - 1)
  expect([await daysOf(quiet), await daysOf(busy)]).toEqual([[-2], [-2]])
  await quiet.rollUpAgain(OVER)
  expect(await daysOf(busy)).toEqual([-2, -1])
  await quiet.compare()
  await quiet.rollUp(OVER + 20 * HOUR)
  expect(await daysOf(quiet)).toEqual([-2, -1])
})

test('rollups: a late hit on a day that is not rolled up yet leaves no mark, and no day before it without a rollup', async () => {
  const story = await begin()
  const { hit, send, compare } = story
  await send(hit(TODAY - 4 * DAY + HOUR, { visitorId: ADA }))
  await story.rollUpAgain(OVER - 3 * DAY)
  expect(await daysOf(story)).toEqual([-4])
  // The rollups fell behind, and hits of the first and the third day that lack one come late.
  await database.db`update watermarks set watermark = ${new Date(TODAY + 12 * HOUR)} where aggregate = 'daily_rollups'`
  await send(hit(TODAY - 3 * DAY + HOUR), hit(TODAY - DAY + HOUR), hit(TODAY + 8 * HOUR))
  expect(await marksOf(story)).toHaveLength(3)
  const now = new Date(OVER + 12 * HOUR)
  await rollUpBehind(database.db, now, day => rollUpDay(database.db, day), {
    until: TODAY + DAY,
    budgetMs: 10_000,
  })
  expect(await daysOf(story)).toEqual([-4])
  await compare()
  await story.rollUp(now.getTime())
  expect(await daysOf(story)).toEqual([-4, -3, -2, -1])
  expect(await marksOf(story)).toEqual([])
  await send(hit(TODAY + 9 * HOUR))
  await compare()
  await story.rollUp(OVER + DAY)
  expect(await daysOf(story)).toEqual([-4, -3, -2, -1, 0])
})

test('rollups: a read whose rollup is written again meanwhile looks for it once more', async () => {
  const story = await beginWithVisits()
  const { site, hit, send, compare } = story
  await story.rollUp(OVER)
  const [days] = RANGES
  const now = new Date(OVER)
  let calls = 0
  const pool = inProcessPool(database.db)
  const rollups: Pool = {
    ...pool,
    run: async (task, input) => {
      calls += 1
      if (calls === 1) {
        await send(hit(TODAY - DAY + 5 * HOUR, { visitorId: ADA, url: '/meanwhile' }))
        await rollUpAll(database.db, now)
      }
      return pool.run(task, input)
    },
  }
  const read = readerOf({ ...readServices(database.db, now), rollups }, readSite(site, 'UTC'), days!)
  const { values } = await read(getTimeseries, TimeseriesQuery, { metric: 'pageviews' })
  expect(values).toEqual([8, 8, 8, 9, 0])
  expect(calls).toBe(2)
  await compare()
})

describe('daily rollups after an interrupted round', { tags: ['full'] }, () => {
  /** Rolls up until the `count`th day and fails before or after it. Returns whether all days were rolled up. */
  async function rollUpUntil(now: number, count: number, isAfter: boolean): Promise<boolean> {
    let rolledUp = 0
    const rollUp = async (day: RolledUpDay) => {
      rolledUp += 1
      if (rolledUp < count || isAfter) await rollUpDay(database.db, day)
      if (rolledUp >= count) throw new Error('killed')
    }
    const failure = await rollUpSites(database.db, new Date(now), rollUp, { budgetMs: 10_000 }).catch(
      error => error,
    )
    if (failure instanceof Error) expect(failure.message).toBe('killed')
    return !(failure instanceof Error)
  }

  test.each([
    ['before', false],
    ['after', true],
  ])('%s a day was written: late hits count at once, and the next round continues', async (_, isAfter) => {
    const { hit, send, rollUp, compare } = await beginWithVisits()
    let isDone = false
    for (let count = 1; !isDone; count++) {
      await database.db`delete from rollup_spans`
      await database.db`delete from daily_rollups`
      await database.db`update watermarks set refreshed_to = '-infinity' where aggregate = 'daily_rollups'`
      isDone = await rollUpUntil(OVER, count, isAfter)
      const late = { visitorId: ADA, url: `/late ${count}` }
      await send(...[1, 2, 3].map(day => hit(TODAY - day * DAY + (count + 9) * HOUR, late)))
      // A round without time for days may still remove dirty marks.
      await rollUpSites(database.db, new Date(OVER), day => rollUpDay(database.db, day), { budgetMs: 0 })
      await compare()
      expect(count).toBeLessThan(10)
    }
    await rollUp(OVER)
  })
})

test('daily rollups: batches that are stored while a day is rolled up count once', {
  tags: ['full'],
}, async () => {
  const { hit, send, rollUp, compare } = await beginWithVisits()
  await rollUp(OVER - 2 * HOUR)
  for (let round = 0; round < 4; round++) {
    const now = OVER - 30 * MINUTE + round * 15 * MINUTE
    const sends = [0, 1, 2].map(partition =>
      storeHits(database.db, partition, [
        hit(TODAY - (20 + partition) * MINUTE + round, { url: `/${partition}` }),
        hit(now - OPEN_MS - 3 * MINUTE, { url: '/just over' }),
        hit(TODAY - 2 * DAY + round * HOUR + partition, { url: '/late' }),
      ]),
    )
    await Promise.all([
      ...sends,
      rollUpAll(database.db, new Date(now)),
      send(hit(now - DAY, { visitorId: BOB })),
    ])
    await compare()
  }
  await rollUp(OVER + HOUR)
})

test('daily rollups: a deleted site is not rolled up, other sites are', { tags: ['full'] }, async () => {
  const gone = await beginWithVisits()
  const other = await beginWithVisits({ isBeside: true })
  await other.rollUp(OVER - DAY)
  await database.db`update sites set deleted_at = now() where site_no = ${gone.site.siteNo}`
  await other.rollUp(OVER)
  expect(await daysOf(gone)).toEqual([-4, -3, -2])
  expect(await daysOf(other)).toEqual([-4, -3, -2, -1])
})

type Work = Parameters<Db['begin']>[1]

/** Rolls up a day, but runs `meanwhile` before it writes. */
async function rollUpSlowly(day: RolledUpDay, meanwhile: () => Promise<unknown>): Promise<void> {
  const begin = async (...given: [Work] | [string, Work]) => {
    // Only transactions that read pass an isolation level.
    if (given.length === 1) await meanwhile()
    return given.length === 1 ? database.db.begin(...given) : database.db.begin(...given)
  }
  const slow = new Proxy(database.db, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name)),
  })
  await rollUpDay(slow, day)
}
const yesterday = { start: TODAY - DAY, end: TODAY, zone: 'UTC', marks: [] }

test('daily rollups, a slow process whose day another process has rolled up: takes nothing back', async () => {
  const { site, hit, send, rollUp, compare } = await beginWithVisits()
  await rollUp(OVER)
  await send(hit(TODAY - 65 * MINUTE), hit(TODAY - 5 * MINUTE))
  await rollUpSlowly({ ...yesterday, siteNo: site.siteNo }, async () => {
    await send(hit(TODAY - 3 * HOUR, { visitorId: ADA, url: '/meanwhile' }))
    await rollUpAll(database.db, new Date(OVER + HOUR))
  })
  await compare()
  await rollUp(OVER + 2 * HOUR)
})

test('daily rollups, a slow process whose day another process has rolled up: a slow process writes no day of the previous time zone', {
  tags: ['full'],
}, async () => {
  const { site, hit, send, rollUp, compare } = await beginWithVisits()
  await rollUp(OVER + 6 * HOUR)
  await rollUpSlowly({ ...yesterday, siteNo: site.siteNo }, async () => {
    site.timezone = 'Asia/Kathmandu'
    await database.db`update sites set timezone = ${site.timezone} where site_no = ${site.siteNo}`
    await rollUpAll(database.db, new Date(OVER + 6 * HOUR))
  })
  await send(hit(TODAY - 3 * HOUR, { visitorId: ADA, url: '/late' }))
  await rollUp(OVER + 6 * HOUR)
  site.timezone = 'UTC'
  await compare(RANGES)
})
