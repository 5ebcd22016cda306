import { expect, test } from 'vitest'
import { BreakdownQuery } from '../../../src/stats/breakdown/breakdown-query.ts'
import { createKeptCounter } from '../../../src/stats/columns-process/kept-counter.ts'
import { getBreakdown } from '../../../src/stats/reads/breakdown.ts'
import { FilterValuesQuery, getFilterValues } from '../../../src/stats/reads/filter-values.ts'
import { getTimeseries, TimeseriesQuery } from '../../../src/stats/reads/timeseries.ts'
import { SiteColumns } from '../../../src/storage/columns/site-columns.ts'
import { rollUpDay } from '../../../src/storage/rollups/daily/roll-up-day.ts'
import { rollUpSites } from '../../../src/storage/rollups/daily/roll-up-sites.ts'
import type { RolledUpDay } from '../../../src/storage/rollups/protocol.ts'
import { silentLog } from '../../support/log.ts'
import { readerOf, readServices, readSite } from '../../support/read-services.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import { ADA, DAY, HOUR, OVER, TODAY, useStories } from './story.ts'

const { database, begin } = useStories()
const DAYS = 12
const RANGE = { from: '2026-02-26', to: '2026-03-10' }

/** A site with a visit on each of some days, and reads of it with memory for the columns that are needed beside rollups, and not for more. */
async function beginLarge() {
  const { db } = database
  const { site, hit, send } = await begin()
  for (let day = -DAYS; day < 0; day++)
    await send(hit(TODAY + day * DAY + 12 * HOUR, { visitorId: ADA, url: '/page' }))
  const rest = new SiteColumns(site.siteNo)
  await rest.views(db, [{ start: TODAY, end: TODAY + DAY }], OVER)
  // A day takes 14 kB.
  const maxBytes = 4 * (rest.bytes + 5_000)
  const counter = createKeptCounter({ db, maxBytes, log: silentLog, now: () => OVER })
  const services = { ...readServices(db, new Date(OVER)), counter }
  const readsIn = (zone: string) => {
    const read = readerOf(services, readSite(site, zone), RANGE)
    return {
      timeseries: (more = {}) => read(getTimeseries, TimeseriesQuery, { metric: 'pageviews', ...more }),
      breakdown: (more = {}) => read(getBreakdown, BreakdownQuery, { dimension: 'path', ...more }),
      filterValues: (more = {}) => read(getFilterValues, FilterValuesQuery, { dimension: 'path', ...more }),
    }
  }
  return { site, readsIn }
}

const TOO_LARGE = { code: 'validation_failed', fields: { range: [expect.stringContaining('COLUMNS_MB')] } }
const NOTHING = { code: undefined, share: 1 }

test('rollups: a range that does not fit into memory is prepared while its days are rolled up, and answered then; under a filter it is refused', async () => {
  const { site, readsIn } = await beginLarge()
  const filtered = { country: { is: ['DE'] } }
  for (const zone of ['UTC', 'America/New_York']) {
    await database.db`update sites set timezone = ${zone} where site_no = ${site.siteNo}`
    const reads = readsIn(zone)
    const shares: number[] = []
    const rollUp = async (day: RolledUpDay) => {
      for (const ask of Object.values(reads)) {
        await expect(ask(filtered)).rejects.toMatchObject(TOO_LARGE)
        const { code, share } = await ask().then(
          () => NOTHING,
          error => error,
        )
        shares.push(share)
        expect(code).toBe(share < 1 ? 'preparing' : undefined)
      }
      await rollUpDay(database.db, day)
    }
    while (await rollUpSites(database.db, new Date(OVER), rollUp, { budgetMs: 10_000 })) {}
    expect(shares[0]).toBe(0)
    expect(new Set(shares).size).toBeGreaterThan(3)
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect((await reads.timeseries()).values).toEqual([...Array.from({ length: DAYS }, () => 1), 0])
    expect((await reads.breakdown()).rows).toMatchObject([{ value: '/page', pageviews: DAYS }])
    expect((await reads.filterValues()).values).toMatchObject([{ value: '/page' }])
    await expect(reads.timeseries(filtered)).rejects.toMatchObject(TOO_LARGE)
  }
})

test('rollups: hours of days that are rolled up are refused where they do not fit into memory: no rollup has them', async () => {
  const { readsIn } = await beginLarge()
  await rollUpAll(database.db, new Date(OVER))
  await expect(readsIn('UTC').timeseries({ group: 'hour' })).rejects.toMatchObject(TOO_LARGE)
})
