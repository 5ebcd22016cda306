import { type BreakdownDimension, isHitDimension, isOfSessionEnd } from '../../dimensions/dimensions.ts'
import { isRolledUpDimension } from '../../dimensions/rolled-up.ts'
import { noCounts } from '../../rollups/daily/codec.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { type RankedValue, runTask } from '../../rollups/protocol.ts'
import {
  type Amounts,
  compareKeys,
  compareTied,
  type SortKey,
  sortKeyOf,
  type ValueOrder,
} from '../../rollups/value-order.ts'
import { searcherOf, searchPattern } from '../../rollups/value-search.ts'
import type { Page } from '../../schema/pagination.ts'
import { toWindow } from '../../time/range.ts'
import { countValuesByColumns } from '../columns/values.ts'
import { countFiltered } from '../counts/count-filtered.ts'
import { isUnfiltered, type ResolvedQuery } from '../filters/resolved-query.ts'
import type { PageWindow, SliceCounts, ValueCounts } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import { hasHitFilters } from '../sql/conditions.ts'
import { type FilteredQuery, filteredQuery } from '../sql/filtered-query.ts'
import { withReach } from '../sql/reach.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'
import { type Engagement, measureEngagement, PAGES } from './engagement-by-value.ts'
import {
  type CountedColumn,
  countEndValues,
  countHitValues,
  countPageValues,
  countSessionValues,
} from './slice-counts.ts'

type Services = Pick<StatsServices, 'reads' | 'rollups' | 'slices' | 'counter'>
type RankedRow = ValueCounts<CountedColumn> & { total: number }

/** One page of the values of a dimension of hits, by visitors. The engagement of pages is there without filters on hits. */
const breakDownHits = filteredQuery<PageWindow, RankedRow & Engagement>('break-down-hits', [
  'value_parts',
  'filtered_sessions',
])

/** One page of the values of a dimension of sessions, by visitors. */
const breakDownSessions = filteredQuery<PageWindow, RankedRow>('break-down-sessions', [
  'filtered_hits',
  'filtered_sessions',
])

/** One page of the values of a dimension of the session's end, by visitors. */
const breakDownEnds = filteredQuery<PageWindow, RankedRow>('break-down-ends', ['filtered_sessions'])

type SortParams = PageWindow & {
  search: string
  sort: string
  order: string
  amountValues: string[]
  amounts: string[]
}

/** The same in any order, and only values that match a search. */
const sortHitValues = filteredQuery<SortParams, RankedRow>('sort-hit-values', [
  'matching_hits',
  'filtered_sessions',
])
const sortSessionValues = filteredQuery<SortParams, RankedRow>('sort-session-values', [
  'filtered_hits',
  'filtered_sessions',
])

const sortEndValues = filteredQuery<SortParams, RankedRow>('sort-end-values', ['filtered_sessions'])

/** Returns the statements for a dimension: by visitors, in any order, and of one slice. */
function statementsOf(dimension: BreakdownDimension) {
  if (isHitDimension(dimension)) return { rank: breakDownHits, sort: sortHitValues, count: countHitValues }
  if (isOfSessionEnd(dimension)) return { rank: breakDownEnds, sort: sortEndValues, count: countEndValues }
  return { rank: breakDownSessions, sort: sortSessionValues, count: countSessionValues }
}

/** What the values are of. */
export interface Subject {
  dimension: BreakdownDimension
  /** Time zone of the site; the hours of `hour_of_week` are its. */
  zone: string
}

/** Which page of the values of a dimension is wanted, and in which order. */
export interface PageOptions extends ValueOrder, PageWindow {
  search: string | undefined
  /** Required by sorts by money and conversions. */
  amounts?: Amounts | undefined
}

/**
 * Returns the counts of a page of values, and the number of all values that match the search. Reads daily rollups when there are no
 * filters and they have the dimension and the days; otherwise hits and sessions.
 */
export async function rankPage(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  options: PageOptions,
): Promise<Page<RankedValue>> {
  if (canReadRollups(resolved, subject)) {
    const { siteNo } = resolved
    const window = toWindow(resolved)
    const { limit, offset } = options
    const asked = { siteNo, window, ...subject, shown: SHOWN }
    const ranked = await (isDefault(options)
      ? runTask(services.rollups, 'rankValues', {
          ...asked,
          by: ['visitors', 'sessions'],
          leavesOutEmpty: false,
          limit,
          offset,
        })
      : runTask(services.rollups, 'sortValues', { ...asked, ...options }))
    if (ranked) return ranked
  }
  const counted = await countByColumns(services, resolved, subject)
  if (counted) return rankCounted(counted, options)
  const near = isHitDimension(subject.dimension) ? withReach(services, resolved) : resolved
  // Few values are sorted here in a quarter of the time that the database takes.
  const isSortedHere = isByEngagement(options) || (near.findsReach && !isDefault(options))
  if (services.slices || isSortedHere) return rankSlices(services, near, subject, options)
  const page = await rankRows(services, near, subject, options)
  if (isDefault(options) && !hasHitFilters(resolved)) return page
  return { ...page, rows: await withEngagement(services, resolved, subject, page.rows) }
}

/** Returns the counts of given values, in their order. */
export async function countGiven(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  values: string[],
): Promise<RankedValue[]> {
  if (values.length === 0) return []
  if (canReadRollups(resolved, subject)) {
    const { siteNo } = resolved
    const input = { siteNo, window: toWindow(resolved), ...subject, values, withVisitors: true }
    const counted = await runTask(services.rollups, 'countValues', input)
    if (counted) return counted.map((counts, index) => ({ ...counts, value: values[index]! }))
  }
  const byColumns = await countByColumns(services, resolved, subject)
  if (byColumns) return pick(byColumns, values)
  if (services.slices) {
    const counted = pick(await countSlices(services, resolved, subject, values), values)
    return hasHitFilters(resolved) ? withEngagement(services, resolved, subject, counted) : counted
  }
  const options = { ...IN_ANY_ORDER, limit: values.length, offset: 0 }
  const { rows } = await sortRows(services, resolved, subject, options, values)
  return withEngagement(services, resolved, subject, pick(rows, values))
}

/** Returns the counts of values, in their order. */
function pick(rows: readonly RankedValue[], values: readonly string[]): RankedValue[] {
  const found = new Map(rows.map(row => [row.value, row]))
  return values.map(value => found.get(value) ?? { ...noCounts(), value })
}

/** Returns the counts of all values from columns; undefined when rows should answer. */
async function countByColumns(
  services: Services,
  resolved: ResolvedQuery,
  { dimension, zone }: Subject,
): Promise<RankedValue[] | undefined> {
  const counted = await countFiltered(services, resolved, 'values', { dimension, zone })
  if (counted) return counted
  return countValuesByColumns(services, resolved, dimension, part =>
    readSlices(services, sliceStatement(part, dimension), part, { value: dimension, zone }),
  )
}

/** Returns the statement that counts all values in a slice. That of pages has their engagement; with filters on hits there is none. */
function sliceStatement(
  resolved: ResolvedQuery,
  dimension: BreakdownDimension,
): FilteredQuery<undefined, SliceCounts<CountedColumn> & Partial<Engagement>> {
  return PAGES.has(dimension) && !hasHitFilters(resolved) ? countPageValues : statementsOf(dimension).count
}

const asOptions = ({ dimension, zone }: Subject) => ({ value: dimension, zone })

const SHOWN: ['visitors', 'sessions'] = ['visitors', 'sessions']
const IN_ANY_ORDER = { sort: 'value', order: 'asc', search: undefined } as const

const isDefault = ({ sort, order, search }: PageOptions) =>
  sort === 'visitors' && order === 'desc' && search === undefined

const isByEngagement = ({ sort }: PageOptions) => sort === 'time_on_page_seconds' || sort === 'scroll_depth'

const canReadRollups = (resolved: ResolvedQuery, { dimension }: Subject): boolean =>
  isUnfiltered(resolved) && isRolledUpDimension(dimension)

async function rankRows(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  options: PageOptions,
): Promise<Page<RankedValue>> {
  if (!isDefault(options)) return sortRows(services, resolved, subject, options)
  const { limit, offset } = options
  const { rank } = statementsOf(subject.dimension)
  const ranked = await rank(services.reads, resolved, {
    params: { limit, offset },
    ...asOptions(subject),
    withEngagement: PAGES.has(subject.dimension),
  })
  return pageOf(ranked)
}

async function sortRows(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  { sort, order, search, limit, offset, amounts }: PageOptions,
  values?: readonly string[],
): Promise<Page<RankedValue>> {
  const params = {
    limit,
    offset,
    sort,
    order,
    search: search === undefined ? '' : searchPattern(search),
    amountValues: amounts?.values ?? [],
    amounts: amounts?.amounts.map(String) ?? [],
  }
  const { sort: run } = statementsOf(subject.dimension)
  return pageOf(await run(services.reads, resolved, { params, ...asOptions(subject), values }))
}

/** The driver gives one row with nulls for an empty page. */
const pageOf = (rows: RankedRow[]): Page<RankedValue> => ({
  rows: rows
    .filter(({ value }) => value !== null)
    .map(({ total: _total, ...row }) => ({ ...noCounts(), ...row })),
  total: rows[0]?.total ?? 0,
})

/**
 * Ranks in this process: where the database reads rows in slices, since visitors of a value may be in several of them; in other orders
 * than by visitors in a short range; and by engagement, which the ranking statements do not have in all cases.
 */
async function rankSlices(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  options: PageOptions,
): Promise<Page<RankedValue>> {
  const counted = await countSlices(services, resolved, subject, undefined)
  const isComplete = !hasHitFilters(resolved)
  if (isByEngagement(options)) {
    const measured = isComplete ? counted : await withEngagement(services, resolved, subject, counted, 'all')
    return rankCounted(measured, options)
  }
  const { rows, total } = rankCounted(counted, options)
  return { rows: isComplete ? rows : await withEngagement(services, resolved, subject, rows), total }
}

/** Ranks values whose counts are all known. */
function rankCounted(
  counted: readonly RankedValue[],
  { sort, order, search, limit, offset, amounts }: PageOptions,
): Page<RankedValue> {
  const isFound = search === undefined ? () => true : searcherOf(search)
  const rows = counted.filter(row => SHOWN.some(column => row[column] > 0) && isFound(row.value))
  const amountOf = new Map(amounts?.values.map((value, index) => [value, amounts.amounts[index]!]))
  const keyed = rows.map(row => ({ row, key: keyOf(row, sort, amountOf.get(row.value)) }))
  keyed.sort(
    (a, b) =>
      compareKeys(a.key, b.key, order) ||
      compareTied(
        sort,
        column => a.row[column],
        column => b.row[column],
      ) ||
      compareTexts(a.row.value, b.row.value),
  )
  return { rows: keyed.slice(offset, offset + limit).map(({ row }) => row), total: rows.length }
}

const keyOf = (row: RankedValue, sort: ValueOrder['sort'], amount = 0n): SortKey =>
  sortKeyOf(
    sort,
    column => row[column],
    amount,
    () => row.value,
  )

async function countSlices(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  values: readonly string[] | undefined,
): Promise<RankedValue[]> {
  const statement = sliceStatement(resolved, subject.dimension)
  const rows = await readSlices(services, statement, resolved, { ...asOptions(subject), values })
  return mergeSlices(rows, ({ value }) => value).map(row => ({ ...noCounts(), ...row }))
}

/** Adds the engagement to rows of paths or titles that were counted from hits; those of slices have it, except with filters on hits. */
async function withEngagement(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  rows: RankedValue[],
  which: 'these' | 'all' = 'these',
): Promise<RankedValue[]> {
  if (!PAGES.has(subject.dimension) || rows.length === 0) return rows
  const values = which === 'all' ? undefined : rows.map(({ value }) => value)
  const measured: Map<string, Engagement> = await measureEngagement(
    services,
    resolved,
    subject.dimension,
    values,
  )
  return rows.map(row => ({ ...row, ...measured.get(row.value) }))
}
