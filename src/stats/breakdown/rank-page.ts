import type { BreakdownDimension } from '../../platform/dimensions/dimensions.ts'
import type { Page } from '../../platform/schema/pagination.ts'
import { toWindow } from '../../platform/time/range.ts'
import { noCounts } from '../../storage/rollups/daily/codec.ts'
import { type RankedValue, runTask } from '../../storage/rollups/protocol.ts'
import type { ValuePageAsked } from '../counts/value-pages.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { countUntilRolledUp, withValueRest } from '../metrics/rolled-up.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices } from '../query-context.ts'

type Services = Pick<StatsServices, 'reads' | 'rollups' | 'counter'>

/** What the values are of. */
export interface Subject {
  dimension: BreakdownDimension
  /** Time zone of the site; the hours of `hour_of_week` are its. */
  zone: string
}

/**
 * Returns the counts of a page of values, and the number of all values that match the search. Reads daily rollups when there are no
 * filters and they have the dimension and the days; otherwise columns.
 * @throws AppError as `countAsked`
 */
export async function rankPage(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  options: ValuePageAsked,
): Promise<Page<RankedValue>> {
  if (sourceOf('values', resolved, subject.dimension) === 'rollups') {
    const { siteNo } = resolved
    const window = toWindow(resolved)
    const { limit, offset } = options
    const asked = { siteNo, window, ...subject, shown: SHOWN }
    const ranked = await withValueRest<Page<RankedValue>>(services, resolved, asked, rest =>
      isDefault(options)
        ? runTask(services.rollups, 'rankValues', {
            ...{ ...asked, ...rest, limit, offset },
            by: ['visitors', 'sessions'],
            leavesOutEmpty: false,
          })
        : runTask(services.rollups, 'sortValues', { ...asked, ...rest, ...options }),
    )
    if (ranked) return ranked
  }
  return countUntilRolledUp(services, resolved, 'valuePage', { ...subject, ...options }, subject)
}

/**
 * Returns the counts of given values, in their order.
 * @throws AppError as `countAsked`
 */
export async function countGiven(
  services: Services,
  resolved: ResolvedQuery,
  subject: Subject,
  values: string[],
): Promise<RankedValue[]> {
  if (values.length === 0) return []
  if (sourceOf('values', resolved, subject.dimension) === 'rollups') {
    const { siteNo } = resolved
    const input = { siteNo, window: toWindow(resolved), ...subject, values, withVisitors: true }
    const counted = await withValueRest(services, resolved, input, rest =>
      runTask(services.rollups, 'countValues', { ...input, ...rest }),
    )
    if (counted) return counted.map((counts, index) => ({ ...counts, value: values[index]! }))
  }
  const counted = await countUntilRolledUp(services, resolved, 'givenValues', { ...subject, values }, subject)
  const found = new Map(counted.map(row => [row.value, row]))
  return values.map(value => found.get(value) ?? { ...noCounts(), value })
}

const SHOWN: ['visitors', 'sessions'] = ['visitors', 'sessions']

const isDefault = ({ sort, order, search }: ValuePageAsked) =>
  sort === 'visitors' && order === 'desc' && search === undefined
