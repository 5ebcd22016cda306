import { mergeWindows } from '../../rollups/daily/coverage.ts'
import { readIntArray } from '../../rollups/daily/visitor-set.ts'
import { type CountedRows, NO_TRAFFIC, runTask, type TrafficTotals } from '../../rollups/protocol.ts'
import type { Gap } from '../../rollups/session-columns/cover-days.ts'
import type { TimeSpan } from '../../time/range.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { countFilteredSessions, countFilteredSliceHits } from '../metrics/filtered-traffic.ts'
import type { StatsServices } from '../query-context.ts'
import { readSlices } from '../sql/slices.ts'
import { coverByColumns, partOf } from './coverage.ts'

type Services = Pick<StatsServices, 'reads' | 'rollups' | 'slices'>

/**
 * Returns the totals of windows, which do not overlap, from columns of sessions and the rows beside them.
 * @returns undefined when rows should answer
 */
export async function countTrafficByColumns(
  services: Services,
  resolved: ResolvedQuery,
  windows: readonly TimeSpan[],
): Promise<TrafficTotals[] | undefined> {
  const read = await coverByColumns(services, resolved, windows)
  if (!read) return undefined
  const counted = await countGaps(
    services,
    resolved,
    read.windows.flatMap(({ gaps }) => gaps),
  )
  const { siteNo, filters } = read
  const totals = await runTask(services.rollups, 'countFilteredTraffic', {
    siteNo,
    filters,
    windows: read.windows.map(({ days, gaps }) => ({
      days,
      rows: gaps.flatMap(gap => counted.get(gap) ?? []),
    })),
  })
  return totals ?? undefined
}

/** Counts the rows of gaps; one statement each for those that touch and have all sessions. */
async function countGaps(
  services: Services,
  resolved: ResolvedQuery,
  gaps: readonly Gap[],
): Promise<Map<Gap, CountedRows<TrafficTotals>[]>> {
  const counted = new Map<Gap, CountedRows<TrafficTotals>[]>()
  const whole = gaps.filter(({ sessionNos }) => !sessionNos)
  const runs = [
    ...mergeWindows(whole).map(run => ({
      run,
      inRun: whole.filter(({ start, end }) => start >= run.start && end <= run.end),
    })),
    ...gaps.filter(({ sessionNos }) => sessionNos).map(gap => ({ run: gap, inRun: [gap] })),
  ]
  for (const { run, inRun } of runs) {
    const options = { params: { bounds: inRun.map(({ start }) => new Date(start)) } }
    const part = partOf(resolved, run)
    const [hits, sessions] = await Promise.all([
      readSlices(services, countFilteredSliceHits, part, options),
      readSlices(services, countFilteredSessions, part, options),
    ])
    const { visitors: _, ...none } = NO_TRAFFIC
    for (const { bucket, visitors, ...counts } of hits) {
      add(counted, inRun[bucket]!, { counts: { ...none, ...counts }, visitors: [readIntArray(visitors)] })
    }
    for (const { bucket, ...counts } of sessions) {
      add(counted, inRun[bucket]!, { counts: { ...none, ...counts }, visitors: [] })
    }
  }
  return counted
}

function add<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}
