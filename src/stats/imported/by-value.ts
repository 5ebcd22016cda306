import type { BreakdownDimension } from '../../platform/dimensions/dimensions.ts'
import type { Page } from '../../platform/schema/pagination.ts'
import type { Range } from '../../platform/time/range.ts'
import { noCounts } from '../../storage/rollups/daily/codec.ts'
import type { RankedValue } from '../../storage/rollups/protocol.ts'
import { type CountOf, type Sort, sortRows } from '../../storage/rollups/value-order.ts'
import { searcherOf } from '../../storage/rollups/value-search.ts'
import { PAGES } from '../breakdown/page-dimensions.ts'
import type { ValuePageAsked } from '../counts/value-pages.ts'
import type { Filters } from '../filters/stats-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import type { Family } from './families.ts'
import { type Imported, presentPlans } from './imported-answer.ts'
import { IMPORTED_METRIC_NAMES, importedMetric } from './metrics.ts'
import { planTotals } from './plan.ts'
import { sumByValue, type TotalsSums } from './sums.ts'

/** Imported totals of a period by value. */
export interface ImportedValues {
  byValue: ReadonlyMap<string, TotalsSums>
  note: Omit<Imported, 'previous'>
}

const METRICS = IMPORTED_METRIC_NAMES.filter(name => name !== 'custom_events')

interface Asked {
  range: Range
  filters: Filters
  dimension: BreakdownDimension
  sort: Sort
  /** Whether conversions are asked, which totals do not have. */
  hasConversions: boolean
}

/** Reads the totals of a period by the values of a dimension. */
export async function readImportedValues(
  services: Pick<StatsServices, 'reads' | 'readsInParts'>,
  { siteNo }: Pick<StatsSite, 'siteNo'>,
  families: readonly Family[],
  { range, filters, dimension, sort, hasConversions }: Asked,
): Promise<ImportedValues> {
  const needs = ['visitors' as const, ...(importedMetric(sort)?.needs ?? [])]
  const found = planTotals(families, range, { dimension, filters, needs })
  const plan =
    hasConversions && found.refusal !== 'no_days'
      ? { ...found, parts: [], refusal: 'conversions' as const }
      : found
  const metrics = PAGES.has(dimension) ? [...METRICS, 'time_on_page_seconds', 'scroll_depth'] : METRICS
  return {
    byValue: await sumByValue(services, siteNo, plan.parts, filters, dimension),
    note: presentPlans(plan, Object.fromEntries(metrics.map(name => [name, plan]))),
  }
}

/** Counts of a value with its imported totals. */
export interface ValueTogether {
  counts: RankedValue
  imported: TotalsSums | undefined
}

/**
 * Returns the counts that a metric is computed from: averages of sessions leave out imported days whose bounces or durations are
 * unknown.
 */
export function countsFor(metric: string, { counts, imported }: ValueTogether): CountOf {
  if (!imported) return column => counts[column]
  const sessions = {
    views_per_visit: imported.viewedSessions,
    bounce_rate: imported.bounceSessions,
    avg_session_seconds: imported.timedSessions,
  }[metric]
  const added: Partial<Record<string, number>> = {
    visitors: imported.visitors,
    sessions: sessions ?? imported.sessions,
    pageviews: metric === 'views_per_visit' ? imported.viewsOfSessions : imported.pageviews,
    bounces: imported.bounces,
    durationMs: imported.durationMs,
  }
  return column => counts[column] + (added[column] ?? 0)
}

/** Ranks own values and imported ones together: all own values must be given. */
export function rankTogether(
  own: readonly RankedValue[],
  byValue: ReadonlyMap<string, TotalsSums>,
  { search, limit, offset, amounts, ...order }: ValuePageAsked,
): Page<ValueTogether> {
  const isFound = searcherOf(search)
  const rows: ValueTogether[] = own.map(counts => ({ counts, imported: byValue.get(counts.value) }))
  const known = new Set(own.map(({ value }) => value))
  for (const [value, imported] of byValue) {
    if (known.has(value) || !isFound(value)) continue
    if (imported.visitors + imported.sessions > 0) rows.push({ counts: { ...noCounts(), value }, imported })
  }
  const rowOf = (row: ValueTogether) => ({
    value: row.counts.value,
    countsFor: (metric: string) => countsFor(metric, row),
  })
  const sorted = sortRows(rows, order, { rowOf, amounts })
  return { rows: sorted.slice(offset, offset + limit), total: rows.length }
}
