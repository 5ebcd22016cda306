import { type BreakdownDimension, isHitDimension, levelOf } from '../../dimensions/dimensions.ts'
import { HOUR_OF_WEEK } from '../../dimensions/registry.ts'
import { noCounts } from '../../rollups/daily/codec.ts'
import { readIntArray } from '../../rollups/daily/visitor-set.ts'
import {
  type CountedRows,
  type RankedValue,
  runTask,
  type Tasks,
  type ValuePart,
} from '../../rollups/protocol.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { SliceCounts } from '../metrics/rank.ts'
import type { StatsServices } from '../query-context.ts'
import { withReach } from '../sql/reach.ts'
import { coverRange, partOf } from './coverage.ts'

type ColumnDimension = Tasks['countFilteredValues']['input']['dimension']

/** Returns whether columns of sessions have a dimension. */
const isInColumns = (dimension: BreakdownDimension): dimension is ColumnDimension =>
  isHitDimension(dimension) ||
  (dimension !== HOUR_OF_WEEK && ['session', 'session-row'].includes(levelOf(dimension)))

/** Counts of all values in the rows of a part of the range, from statements whose counts add up. */
export type CountPart = (part: ResolvedQuery) => Promise<Partial<SliceCounts<keyof RankedValue>>[]>

/**
 * Returns the counts of all values of a dimension, in any order, from columns of sessions and the rows beside them.
 * @returns undefined when rows should answer
 */
export async function countValuesByColumns(
  services: Pick<StatsServices, 'rollups' | 'slices'>,
  resolved: ResolvedQuery,
  dimension: BreakdownDimension,
  countPart: CountPart,
  counts: ValuePart[] = ['visitors', 'measures'],
): Promise<RankedValue[] | undefined> {
  const read = isInColumns(dimension) ? await coverRange(services, resolved) : undefined
  if (!read || !isInColumns(dimension)) return undefined
  const { siteNo, filters, windows } = read
  const { days, gaps } = windows[0]!
  const rows: CountedRows<RankedValue>[] = []
  for (const gap of gaps) {
    const part = withReach(services, partOf(resolved, gap))
    for (const { visitors, ...counts } of await countPart(part)) {
      const { visitors: _, ...none } = noCounts()
      rows.push({
        counts: { ...none, value: '', ...counts },
        visitors: visitors ? [readIntArray(visitors)] : [],
      })
    }
  }
  const counted = await runTask(services.rollups, 'countFilteredValues', {
    ...{ siteNo, filters, dimension, days, rows, counts },
  })
  return counted?.filter(({ visitors, sessions, pageviews }) => visitors + sessions + pageviews > 0)
}
