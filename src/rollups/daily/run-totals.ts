import { type Queryable, statement } from '../../infra/db.ts'
import type { TrafficTotals } from '../protocol.ts'
import type { DailyRollup } from './daily-rollups.ts'
import type { RollupCache } from './rollup-cache.ts'
import { keyOf, type Run } from './runs.ts'
import { bytesOf, type Union, uniteSets } from './union.ts'

/** Totals that add up over days. */
type Additive = Omit<TrafficTotals, 'visitors'>

/** Totals of a day range. */
export interface RunTotals extends Additive {
  visitors: Union
}

interface Stored extends Additive {
  siteNo: number
  start: number
  end: number
  /** Serialized visitor set, base64. */
  visitors: string
}

const selectTotals = statement<Stored>('select-daily-rollup-totals')

const PART = 'totals'

/**
 * Returns the totals of day ranges, from the cache or from the stored days. Call it in the transaction that has read the
 * versions of the days: otherwise the content of one version could be cached under another.
 */
export async function readTotals(
  tx: Queryable,
  { totals: known }: RollupCache,
  runs: readonly Run[],
): Promise<Map<Run, RunTotals>> {
  const totals = new Map<Run, RunTotals>()
  const missing: [string, Run][] = []
  for (const run of runs) {
    const key = keyOf(run, PART)
    const found = known.get(key)
    if (found) totals.set(run, found)
    else missing.push([key, run])
  }
  if (missing.length === 0) return totals
  const stored = await readDays(
    tx,
    missing.flatMap(([, run]) => run),
  )
  for (const [key, run] of missing) {
    const added = addUp(run.map(day => stored.get(nameOf(day))!))
    totals.set(run, added)
    known.set(key, added, { bytes: bytesOf(added.visitors) + 400 + key.length })
  }
  return totals
}

async function readDays(tx: Queryable, days: DailyRollup[]): Promise<Map<string, Stored>> {
  const asked = [...new Map(days.map(day => [nameOf(day), day])).values()]
  const rows = await selectTotals(
    tx,
    asked.map(({ siteNo }) => siteNo),
    asked.map(({ start }) => start),
    asked.map(({ end }) => end),
  )
  return new Map(rows.map(row => [nameOf(row), row]))
}

const nameOf = ({ siteNo, start, end }: Pick<DailyRollup, 'siteNo' | 'start' | 'end'>) =>
  `${siteNo}/${start}/${end}`

const addUp = (days: readonly Stored[]): RunTotals => ({
  pageviews: sum(days, ({ pageviews }) => pageviews),
  customEvents: sum(days, ({ customEvents }) => customEvents),
  sessions: sum(days, ({ sessions }) => sessions),
  bounces: sum(days, ({ bounces }) => bounces),
  durationMs: sum(days, ({ durationMs }) => durationMs),
  visitors: uniteSets(days.map(({ visitors }) => Buffer.from(visitors, 'base64'))),
})

export const sum = <Part>(parts: readonly Part[], count: (part: Part) => number): number =>
  parts.reduce((total, part) => total + count(part), 0)
