import type { Transaction } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { coverageOf, type DailyRollup, dayRangesOf, keyOf, OPEN_MS } from '../daily/coverage.ts'
import type { RollupCache } from '../daily/rollup-cache.ts'
import { bytesOf, uniteSets } from '../daily/visitor-set.ts'
import type { GoalTotals } from '../goals/goal-totals.ts'
import { arraysOf, datesOf, type Window } from '../protocol.ts'
import type { NameCounts, PropertyCounts } from './count-day.ts'

/** Events of the service: of a name, with some properties if `props` is a JSON object. */
export interface ServiceTarget {
  name: string
  props: string | null
  /** Of the reported revenue that counts; empty for none. */
  currency: string
}

const selectServiceDays = query<{ siteNo: number; start: Date; end: Date }, Omit<DailyRollup, 'rolledUpTo'>>(
  'select-service-days',
  `
  select
    site_no as "siteNo",
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end",
    version
  from daily_service_events
  where site_no = :siteNo::int and starts_at >= :start::timestamptz and ends_at <= :end::timestamptz
    and counts is not null
  order by starts_at, ends_at`,
)

interface StoredDay {
  counts: NameCounts[]
  properties: PropertyCounts[] | null
}

const selectServiceCounts = query<
  { siteNo: number; starts: Date[]; ends: Date[]; withProperties: boolean },
  StoredDay
>(
  'select-service-counts',
  `
  select counts, case when :withProperties::boolean then properties end as properties
  from unnest(:starts::timestamptz[], :ends::timestamptz[]) as day (starts_at, ends_at)
  join daily_service_events using (starts_at, ends_at)
  where site_no = :siteNo::int`,
)

export interface ServiceCoverage {
  days: DailyRollup[]
  /** Parts of the window that are counted from rows. */
  gaps: Window[]
}

/** Returns the days of a window whose events of the service are counted. Call it in a snapshot. */
export async function coverServiceEvents(
  tx: Transaction,
  siteNo: number,
  window: Window,
): Promise<ServiceCoverage> {
  const stored = await selectServiceDays(tx, { siteNo, ...datesOf(window) })
  // A change of the day deletes it: it lacks nothing.
  const whole = stored.map(day => ({ ...day, rolledUpTo: day.end + OPEN_MS }))
  const { rollups: days, gaps } = coverageOf(window, whole)
  return { days, gaps }
}

/** Returns the events of each target on the days, from the cache or from what is stored. Call it in the snapshot of the days. */
export async function readServiceTotals(
  tx: Transaction,
  { goals: known }: Pick<RollupCache, 'goals'>,
  siteNo: number,
  { days }: Pick<ServiceCoverage, 'days'>,
  targets: readonly ServiceTarget[],
): Promise<(GoalTotals | undefined)[]> {
  const [range] = dayRangesOf(days)
  if (!range) return targets.map(() => undefined)
  const keys = targets.map(target =>
    keyOf(range, `service/${JSON.stringify([target.name, target.props, target.currency])}`),
  )
  const found = keys.map(key => known.get(key))
  const missing = targets.filter((_, index) => !found[index])
  const stored =
    missing.length === 0
      ? []
      : await selectServiceCounts(tx, {
          siteNo,
          ...arraysOf(range),
          withProperties: missing.some(({ props }) => props !== null),
        })
  return targets.map((target, index) => {
    const key = keys[index]!
    const cached = found[index]
    if (cached) return cached
    const totals = addUp(stored, target)
    known.set(key, totals, { size: bytesOf(totals.visitors) + 300 + key.length })
    return totals
  })
}

function addUp(days: readonly StoredDay[], { name, props, currency }: ServiceTarget): GoalTotals {
  const wanted = props === null ? undefined : Object.entries(JSON.parse(props) as Record<string, string>)
  const counts = days.flatMap(day =>
    wanted
      ? (day.properties ?? []).filter(
          each => each.name === name && wanted.every(([key, value]) => each.props[key] === value),
        )
      : day.counts.filter(each => each.name === name),
  )
  return {
    conversions: counts.reduce((sum, { conversions }) => sum + conversions, 0),
    revenue: counts.reduce((sum, { revenue }) => sum + BigInt(revenue[currency] ?? 0), 0n),
    visitors: uniteSets(counts.map(({ visitors }) => Buffer.from(visitors, 'base64'))),
  }
}
