import type { TimeSpan } from '../../platform/time/range.ts'
import { countGiven } from '../breakdown/rank-page.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { TrafficColumn } from '../counts/counted-sessions.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { keptPart } from '../filters/resolved-query.ts'
import type { GoalTarget } from '../goals/goal-target.ts'
import { countTraffic } from '../metrics/traffic-metrics.ts'
import { sourceOf } from '../planner.ts'
import { distinctTerm, type Explained, sumTerm, type Term } from './parts.ts'

/** The count that each term is. */
export const COUNT_OF = {
  pageviews: 'pageviews',
  visitors: 'visitors',
  sessions: 'sessions',
  bounces: 'bounces',
  duration_ms: 'durationMs',
  timed_sessions: 'sessions',
  custom_events: 'customEvents',
  engaged_ms: 'engagedMs',
  engaged_sessions: 'engagedSessions',
  scroll_percent: 'scrollSum',
  scrolled_sessions: 'scrolledSessions',
} as const satisfies Record<string, TrafficColumn>
export type TrafficTerm = keyof typeof COUNT_OF

/** Parts of traffic, and all visitors together. `untimedSessions`: those of daily totals that do not say how long. */
interface Parts {
  buckets: Partial<Record<TrafficColumn | 'untimedSessions', number>>[]
  visitors: number
}

/** Returns what the traffic of a period, or of a row of a breakdown, consists of. */
export async function explainTraffic(explained: Explained): Promise<Record<TrafficTerm, Term>> {
  const { buckets, visitors } = explained.parts.length > 0 ? await readParts(explained) : NOTHING
  const terms = Object.entries(COUNT_OF).map(([term, column]) => {
    const counts = buckets.map(bucket => bucket[column] ?? 0)
    if (term === 'visitors') return [term, distinctTerm(visitors, counts)]
    const isTimed = term === 'timed_sessions'
    return [
      term,
      sumTerm(counts.map((count, index) => count - (isTimed ? (buckets[index]!.untimedSessions ?? 0) : 0))),
    ]
  })
  return Object.fromEntries(terms)
}

const NOTHING: Parts = { buckets: [], visitors: 0 }

async function readParts({ services, resolved, parts, of }: Explained): Promise<Parts> {
  if (sourceOf('traffic', resolved) === 'rollups' && of.dimension === undefined) {
    const [buckets, [whole]] = await Promise.all([
      countTraffic(services, resolved, parts),
      countTraffic(services, resolved, [resolved]),
    ])
    // A visitor may come between the two reads.
    const most = buckets.reduce((sum, { visitors }) => sum + visitors, 0)
    return { buckets, visitors: Math.min(most, whole!.visitors) }
  }
  // Days without details are in rollups alone.
  const { start, detailsFrom = start } = resolved
  if (
    of.dimension !== undefined &&
    start < detailsFrom &&
    sourceOf('values', resolved, of.dimension) === 'rollups'
  ) {
    const { value, ...subject } = of
    const read = async ({ start, end }: TimeSpan) =>
      (await countGiven(services, { ...resolved, start, end }, subject, [value]))[0]!
    const buckets: Parts['buckets'] = []
    for (const part of parts) buckets.push(await read(part))
    return { buckets, visitors: (await read(resolved)).visitors }
  }
  return countAsked(services, keptPart(resolved), 'trafficParts', { bounds: edgesOf(parts), ...of })
}

/** Returns the distinct visitors that converted, of a row of a breakdown those of its value. */
export async function explainConverting(
  { services, resolved, parts, of }: Explained,
  targets: GoalTarget[],
): Promise<Term> {
  if (parts.length === 0) return distinctTerm(0, [])
  const asked = { targets, bounds: edgesOf(parts), ...of }
  const { visitors, buckets } = await countAsked(services, resolved, 'converterParts', asked)
  return distinctTerm(visitors, buckets)
}
