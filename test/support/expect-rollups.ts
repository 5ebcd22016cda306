import { expect } from 'vitest'
import { getSiteTraffic } from '../../src/access/sites/list-sites.ts'
import type { Db, Transaction } from '../../src/platform/db/connect.ts'
import type { Pool } from '../../src/platform/threads/pool.ts'
import { BreakdownQuery } from '../../src/stats/breakdown/breakdown-query.ts'
import { StatsQuery } from '../../src/stats/filters/stats-query.ts'
import { getBreakdown } from '../../src/stats/reads/breakdown.ts'
import { ErrorsQuery, getErrors } from '../../src/stats/reads/error-groups.ts'
import { FilterValuesQuery, getFilterValues } from '../../src/stats/reads/filter-values.ts'
import { getOverview } from '../../src/stats/reads/overview.ts'
import { getPageTitles, PageTitlesQuery } from '../../src/stats/reads/page-titles.ts'
import { getPropertyBreakdown, PropertyBreakdownQuery } from '../../src/stats/reads/property-breakdown.ts'
import { getTimeseries, TimeseriesQuery } from '../../src/stats/reads/timeseries.ts'
import type { CountedRest } from '../../src/storage/rollups/protocol.ts'
import { tasks } from '../../src/storage/rollups/tasks.ts'
import { readerOf, readServices, readSite } from './read-services.ts'
import type { TestSite } from './sites.ts'

/** Other orders of breakdowns; the dimensions use them in turn. */
const SORTED = [
  { sort: 'visitors', order: 'asc', compare: 'previous' },
  { sort: 'views_per_visit', search: 'E' },
  { sort: 'bounce_rate', order: 'asc' },
  { sort: 'value', order: 'desc', search: '1' },
] as const

const DIMENSIONS = ['path', 'event_name', 'country'] as const

export interface RolledUpSite extends TestSite {
  timezone: string
}

/** Days, both included; `Y-m-d`. */
export interface Days {
  from: string
  to: string
}

/** Tasks that columns can do, too. */
const FROM_ROLLUPS = ['countTraffic', 'rankValues', 'sortValues', 'countValues']

/** Leaves it to columns what they can count, and does the rest as if nothing was ever rolled up. */
function poolWithoutRollups(db: Db): Pool {
  const withoutRollups = {
    begin: async (options: string, read: (tx: Transaction) => Promise<unknown>) => {
      let result: unknown
      const undo = new Error('undone')
      await db
        .begin(options.replace('read only', ''), async tx => {
          await tx`delete from daily_rollups`
          result = await read(tx)
          throw undo
        })
        .catch(error => {
          if (error !== undo) throw error
        })
      return result
    },
  } as unknown as Db
  return {
    run: async (task, input) => {
      if (FROM_ROLLUPS.includes(task)) return null
      const isRolledUp = task === 'countSiteVisitors' || task === 'findErrorEnds'
      return tasks[task as 'countSiteVisitors'](isRolledUp ? withoutRollups : db, input as never)
    },
    close: async () => {},
  }
}

/** Takes what it can from rollups, and notes what could not be. */
function poolWithRollups(db: Db, seen: Seen): Pool {
  return {
    run: async (task, input) => {
      const days = (input as Partial<CountedRest<never>>).covered?.ranges.flat().length ?? 0
      seen.days = Math.max(seen.days, days)
      const answer = await tasks[task as 'rankValues'](db, input as never)
      if (answer === null || answer === 'changed') seen.unanswered.push(`${task} ${JSON.stringify(input)}`)
      return answer
    },
    close: async () => {},
  }
}

/** What of the reads of a site came from rollups. */
export interface Seen {
  /** Most rolled-up days that one read added up. */
  days: number
  /** What rollups could not say, so that columns counted it. */
  unanswered: string[]
}

/** What is read of a site: something of everything that rolls up have a part in, page by page. */
async function readAll(
  db: Db,
  rollups: Pool,
  site: RolledUpSite,
  days: Days,
  now: Date,
  dimensions: readonly string[],
) {
  const services = { ...readServices(db, now), rollups }
  const account = readSite(site, site.timezone)
  const read = readerOf(services, account, days)
  const { kpi: _kpi, ...overview } = await read(getOverview, StatsQuery)
  const series = await read(getTimeseries, TimeseriesQuery, { metric: 'visitors' })
  const breakdowns = []
  for (const [index, dimension] of dimensions.entries()) {
    // The orders have their pages elsewhere: here each is read at once.
    const orders = [
      { perPage: 15, sorted: {} },
      { perPage: 100, sorted: SORTED[index % SORTED.length] },
    ]
    for (const { perPage, sorted } of orders) {
      const asked = { ...sorted, dimension }
      breakdowns.push(
        await allPages(paging => read(getBreakdown, BreakdownQuery, { ...asked, ...paging }), perPage),
      )
    }
  }
  const values = []
  for (const dimension of ['event_name', 'entry_path']) {
    values.push(await read(getFilterValues, FilterValuesQuery, { dimension }))
  }
  const titles = await allPages(paging => read(getPageTitles, PageTitlesQuery, paging), 15)
  const errors = await read(getErrors, ErrorsQuery)
  const properties = []
  for (const event_name of ['signup', 'payment']) {
    const asked = { event_type: 'event', event_name }
    properties.push(await read(getPropertyBreakdown, PropertyBreakdownQuery, asked))
  }
  const listed = { ...account, hasPayments: false }
  const traffic = [...(await getSiteTraffic(services, [listed], '7d'))]
  return { overview, series, breakdowns, values, titles, errors, properties, traffic }
}

async function allPages<Row>(
  read: (paging: { page: string; per_page: string }) => Promise<{ rows: Row[]; total: number }>,
  perPage: number,
): Promise<Row[]> {
  const pageOf = (number: number) => read({ page: String(number), per_page: String(perPage) })
  const first = await pageOf(1)
  const rows = [...first.rows]
  for (let number = 2; (number - 1) * perPage < first.total; number++)
    rows.push(...(await pageOf(number)).rows)
  expect(rows.length).toBe(first.total)
  return rows
}

/**
 * Whatever is read of a site is the same from its rollups and columns as from columns alone.
 * @param dimensions what is broken down
 */
export async function expectRollupsEqualColumns(
  db: Db,
  site: RolledUpSite,
  ranges: Days[],
  now: Date,
  dimensions: readonly string[] = DIMENSIONS,
): Promise<Seen> {
  const seen: Seen = { days: 0, unanswered: [] }
  for (const days of ranges) {
    const rolledUp = await readAll(db, poolWithRollups(db, seen), site, days, now, dimensions)
    const counted = await readAll(db, poolWithoutRollups(db), site, days, now, dimensions)
    expect({ days, ...rolledUp }).toEqual({ days, ...counted })
  }
  return seen
}
