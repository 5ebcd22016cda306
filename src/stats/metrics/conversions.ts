import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import type { ConversionTargets, ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { mergeSlices, readSlices } from '../sql/slices.ts'

export interface ConversionCounts {
  conversions: number
  visitors: number
  /** Reported by the hits, minor units. */
  revenue: bigint
}

export const NO_CONVERSIONS: ConversionCounts = { conversions: 0, visitors: 0, revenue: 0n }

/** Revenue is decimal text: a sum may exceed the integers that JavaScript represents exactly. */
interface ConversionRow {
  /** Number of the goal in its targets. */
  goal: number
  conversions: number
  visitors: number
  revenue: string
}

/**
 * One row for each goal that was converted. `currencies`: one for each goal; revenue in other currencies does not count.
 * Groups by visitor first: a hash of visitors is cheaper than the sort of count(distinct).
 */
const countConversionsByGoal = filteredQuery<{ currencies: string[] }, ConversionRow>(
  'count-conversions-by-goal',
  ['conversions'],
  `select
    goal,
    sum(conversion_count)::bigint as conversions,
    count(visitor_no) as visitors,
    coalesce(sum(revenue), 0)::text as revenue
  from (
    select
      goal,
      visitor_no,
      count(*) as conversion_count,
      sum(revenue_minor) filter (where revenue_currency = (select currencies from params)[goal + 1]) as revenue
    from conversions
    group by 1, 2
  ) as visitor
  group by goal`,
)

/** Counts one slice by goal. Returns visitors instead of their number, since other slices may have the same visitors. */
const countSliceConversionsByGoal = filteredQuery<
  { currencies: string[] },
  Omit<ConversionRow, 'visitors'> & { visitors: Buffer | null }
>(
  'count-slice-conversions-by-goal',
  ['conversions'],
  `select
    goal,
    count(*) as conversions,
    coalesce(
      sum(revenue_minor) filter (where revenue_currency = (select currencies from params)[goal + 1]), 0
    )::text as revenue,
    array_send(array_agg(distinct visitor_no) filter (where visitor_no is not null)) as visitors
  from conversions
  group by goal`,
)

/** Distinct visitors of all conversions. */
const countDistinctConverters = filteredQuery<undefined, { visitors: number }>(
  'count-distinct-converters',
  ['conversions'],
  'select count(visitor_no) as visitors from (select visitor_no from conversions group by 1) as visitor',
)

/**
 * Returns the conversions by goal number, in sessions that match the filters; without the goals that were not converted.
 * @param currencies one for each goal; revenue that hits reported in another currency does not count
 */
export async function countConversions(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  resolved: ResolvedQuery,
  targets: ConversionTargets,
  currencies: string[],
): Promise<Map<number, ConversionCounts>> {
  const options = { params: { currencies }, targets }
  const rows = services.slices
    ? mergeSlices(
        (await readSlices(services, countSliceConversionsByGoal, resolved, options)).map(exact),
        byGoal,
      )
    : (await countConversionsByGoal(services.reads, resolved, options)).map(exact)
  return new Map(rows.map(row => [row.goal, row]))
}

const exact = <Row extends { revenue: string }>(row: Row) => ({ ...row, revenue: BigInt(row.revenue) })
const byGoal = ({ goal }: { goal: number }) => goal

/** Returns the number of distinct visitors with a conversion in sessions that match the filters of `resolved`. */
export async function countConvertingVisitors(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  resolved: ResolvedQuery,
  targets: ConversionTargets,
): Promise<number> {
  if (!services.slices)
    return (await countDistinctConverters(services.reads, resolved, { targets }))[0]!.visitors
  const options = { params: { currencies: [] }, targets }
  const rows = await readSlices(services, countSliceConversionsByGoal, resolved, options)
  return mergeSlices(rows, () => 'all')[0]?.visitors ?? 0
}

/** A path, name or selector that converted a goal. */
export interface MatchedValue {
  value: string
  conversions: number
}

/** The values with the most conversions, and the number of all of them. */
const rankMatchedValues = filteredQuery<{ limit: number }, MatchedValue & { total: number }>(
  'rank-matched-values',
  ['conversions'],
  `select matched as value, count(*) as conversions, count(*) over () as total
  from conversions
  group by 1
  order by 2 desc, matched collate "C"
  limit (select "limit" from params)`,
)

/** All values of one slice, in any order. */
const countSliceMatchedValues = filteredQuery<undefined, MatchedValue>(
  'count-slice-matched-values',
  ['conversions'],
  'select matched as value, count(*) as conversions from conversions group by 1',
)

/**
 * Returns the values with the most conversions of all goals, ties by value, and how many values were converted.
 * @param most values that are returned
 */
export async function rankMatched(
  services: Pick<StatsServices, 'reads' | 'slices'>,
  resolved: ResolvedQuery,
  targets: ConversionTargets,
  most: number,
): Promise<{ values: MatchedValue[]; total: number }> {
  if (!services.slices) {
    const rows = await rankMatchedValues(services.reads, resolved, { targets, params: { limit: most } })
    return {
      values: rows.map(({ value, conversions }) => ({ value, conversions })),
      total: rows[0]?.total ?? 0,
    }
  }
  const rows = await readSlices(services, countSliceMatchedValues, resolved, { targets })
  const values = mergeSlices(rows, ({ value }) => value)
  return { values: mostConverted(values).slice(0, most), total: values.length }
}

/** Sorts values by their conversions, most first; ties by value. */
export const mostConverted = (values: MatchedValue[]): MatchedValue[] =>
  values.sort((a, b) => b.conversions - a.conversions || compareTexts(a.value, b.value))
