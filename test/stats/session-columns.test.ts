import { expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/rollups/daily/day-values.ts'
import type { ResolvedQuery } from '../../src/stats/filters/resolved-query.ts'
import { resolveRange, seriesBuckets } from '../../src/time/range.ts'
import { addMoney, expectAsFromRows, randomFilters } from '../support/compare-columns.ts'
import { testDatabase } from '../support/database.ts'
import { inProcessPool } from '../support/in-process-pool.ts'
import { randomFrom } from '../support/random-values.ts'
import { randomVisits } from '../support/random-visits.ts'
import { addDays, localDate } from '../support/recount-days.ts'
import { rollUpAll } from '../support/roll-up.ts'
import { sweep } from '../support/runs.ts'
import { storeStream, useDatabase } from './stored-stream.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

const database = useDatabase(testDatabase)

type Time = 'after all hits' | 'after each batch' | 'before the last third'

test.each<[seed: number, rollups: Time, partRows?: number]>(
  sweep([
    [1, 'after all hits'],
    [2, 'after each batch'],
    [3, 'before the last third'],
    [4, 'after all hits', 5],
    [5, 'after each batch', 1],
  ]),
)(
  'session columns: of stream %i, rollups made %s answer filtered reads as the rows do',
  async (seed, rollups, partRows = DEFAULT_LIMITS.partRows) => {
    const { db } = database
    const limits = { ...DEFAULT_LIMITS, partRows }
    const random = randomFrom(seed)
    const stream = randomVisits(seed)
    const { site, world } = await storeStream(
      db,
      { ...stream, arrivals: stream.late },
      async (now, batch, batches) => {
        const isMade = rollups === 'after each batch' || batch === Math.ceil((batches * 2) / 3)
        if (rollups !== 'after all hits' && isMade) await rollUpAll(db, new Date(now), limits)
      },
    )
    const { siteNo } = site
    await addMoney(db, siteNo, random)
    const times = world.hits.map(({ at }) => at)
    const now = new Date(Math.max(...times) + 3 * DAY)
    if (rollups !== 'before the last third') await rollUpAll(db, now, limits)
    const range = resolveRange(
      {
        range: 'today',
        from: localDate(stream.zone, Math.min(...times)),
        to: addDays(localDate(stream.zone, Math.max(...times)), 1),
        group: 'day',
      },
      { zone: stream.zone, now, firstEventAt: new Date(Math.min(...times)) },
    )
    // As on the embedded database, where rows are read in slices.
    const slices = seed % 2 === 0 ? { hits: 5, shortestMs: HOUR } : undefined
    const services = { reads: db, rollups: inProcessPool(db), slices }
    const answered = { traffic: 0, values: 0, money: 0 }
    for (let round = 0; round < 12; round++) {
      // Details may begin within a day, and sessions may go on after the end.
      const start = round % 3 === 2 ? new Date(range.start.getTime() + 5 * HOUR) : range.start
      const days = seriesBuckets({ ...range, start })
      const cut = days.slice(0, days.length - (round % 3))
      const { end } = cut.at(-1)!
      const dimensions = await randomFilters(db, siteNo, random)
      const filters = { dimensions, property: undefined }
      const resolved: ResolvedQuery = { siteNo, start, end, filters, goal: undefined }
      const found = await expectAsFromRows({
        ...{ services, site, zone: stream.zone, resolved, windows: cut, random },
        isMoneyUnfiltered: round % 2 === 1,
      })
      for (const kind of ['traffic', 'values', 'money'] as const) answered[kind] += found[kind]
    }
    if (rollups !== 'before the last third') {
      // Of 12 rounds with two, three and four reads.
      expect(answered).toEqual({ traffic: 24, values: 36, money: 48 })
      const [stored] =
        await db`select max(session_parts) as parts from daily_rollups where site_no = ${siteNo}`
      if (partRows < 10) expect(stored!.parts).toBeGreaterThan(1)
    }
  },
)
