import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { OPEN_MS } from '../daily/coverage.ts'
import { distinctOf, readIntArray } from '../daily/visitor-set.ts'
import type { Window } from '../protocol.ts'

/** Conversion targets with exact values instead of operators: rows to join hits with (`findTargets`). */
export interface ConversionTargets {
  /**
   * Goals, by number, that a hit of type `kind` converts if its path, name or selector is `value` and its properties
   * contain the JSON object `props` (null: any properties).
   */
  hits: { kind: string; value: string; props: string | null; goals: number[] }[]
  /** Goals that a pageview of `path` converts when the visitor scrolls to `threshold` percent. */
  scrolls: { path: string; threshold: number; goals: number[] }[]
}

/**
 * Conversions of a window that became known in [from, to): a hit at its own time, a scrolled pageview with the first engagement that
 * reached the threshold, which may come after the end of the window. Null: no bound. Counts of disjoint slices add up.
 */
export interface ConversionSlice extends Window {
  from: number | null
  to: number | null
}

export interface SliceConversions {
  conversions: number
  /** Minor units. */
  revenue: bigint
  /** Distinct visitor_no, ascending. */
  visitors: Uint32Array
}

/** `currencies`: one for each goal. Columns of `ConversionTargets`, one row for each target and goal. */
interface TargetParams {
  currencies: readonly string[]
  hitKinds: string[]
  hitValues: string[]
  hitProps: (string | null)[]
  hitGoals: number[]
}

interface SliceParams extends TargetParams {
  siteNo: number
  start: Date
  end: Date
  hitsFrom: Date
  hitsTo: Date
  seenFrom: Date
  seenTo: Date
  scrollPaths: string[]
  thresholds: number[]
  scrollGoals: number[]
}

/** One row for each goal that was converted; visitors as array_send bytes. */
interface GoalRow {
  goal: number
  conversions: number
  revenue: string
  visitors: Buffer | null
}

const countSlice = query<SliceParams, GoalRow>('count-slice-conversions')
const countService = query<TargetParams & { siteNo: number; start: Date; end: Date }, GoalRow>(
  'count-service-conversions',
  `select
    goal,
    count(*) as conversions,
    coalesce(sum(revenue_minor) filter (where revenue_currency = (:currencies::text[])[goal + 1]), 0)::text as revenue,
    array_send(array_agg(distinct visitor_no) filter (where visitor_no is not null)) as visitors
  from events
  join unnest(:hitKinds::text[], :hitValues::text[], :hitProps::text[], :hitGoals::int[]) as target (kind, value, props, goal)
    on target.kind = events.type and target.value = events.name
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service
    and (target.props is null or events.props @> target.props::jsonb)
  group by goal`,
)

/** On rows without statistics, a plan may compare each hit with each target. */
export const withoutNestedLoops = query(
  'count-without-nested-loops',
  "select set_config('enable_nestloop', 'off', true)",
)

/** Returns the time span in which what a slice counts became known. */
export function knownIn({ start, end, from, to }: ConversionSlice): Window {
  return { start: Math.max(start, from ?? start), end: Math.min(to ?? Infinity, end + OPEN_MS) }
}

/** Returns the conversions of a slice by the goal's number, without those of the service; call `withoutNestedLoops` before. */
export async function countSliceConversions(
  tx: Transaction,
  siteNo: number,
  slice: ConversionSlice,
  targets: ConversionTargets,
  currencies: readonly string[],
): Promise<Map<number, SliceConversions>> {
  const seen = knownIn(slice)
  const scrolls = targets.scrolls.flatMap(({ goals, ...row }) => goals.map(goal => ({ ...row, goal })))
  const params = { ...hitColumns(targets), currencies }
  if (params.hitGoals.length + scrolls.length === 0 || seen.start >= seen.end) return new Map()
  const rows = await countSlice(tx, {
    ...params,
    siteNo,
    start: new Date(slice.start),
    end: new Date(slice.end),
    hitsFrom: new Date(seen.start),
    hitsTo: new Date(Math.min(seen.end, slice.end)),
    seenFrom: new Date(seen.start),
    seenTo: new Date(seen.end),
    scrollPaths: scrolls.map(({ path }) => path),
    thresholds: scrolls.map(({ threshold }) => threshold),
    scrollGoals: scrolls.map(({ goal }) => goal),
  })
  return byGoal(rows)
}

/** Returns the conversions by events that the service wrote, from rows, by the goal's number. */
export async function countServiceRows(
  tx: Transaction,
  siteNo: number,
  { start, end }: Window,
  targets: ConversionTargets,
  currencies: readonly string[],
): Promise<Map<number, SliceConversions>> {
  const params = { ...hitColumns(targets), currencies }
  if (params.hitGoals.length === 0) return new Map()
  return byGoal(await countService(tx, { ...params, siteNo, start: new Date(start), end: new Date(end) }))
}

function hitColumns({ hits }: ConversionTargets) {
  const rows = hits.flatMap(({ goals, ...row }) => goals.map(goal => ({ ...row, goal })))
  return {
    hitKinds: rows.map(({ kind }) => kind),
    hitValues: rows.map(({ value }) => value),
    hitProps: rows.map(({ props }) => props),
    hitGoals: rows.map(({ goal }) => goal),
  }
}

const byGoal = (rows: readonly GoalRow[]) =>
  new Map(
    rows.map(({ goal, conversions, revenue, visitors }) => [
      goal,
      { conversions, revenue: BigInt(revenue), visitors: distinctOf(readIntArray(visitors)) },
    ]),
  )
