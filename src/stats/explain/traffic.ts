import { type BySource, runTask, type TrafficTotals } from '../../rollups/protocol.ts'
import { boundsOf, toWindow } from '../../time/range.ts'
import { isUnfiltered } from '../filters/resolved-query.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { sumColumn, type Term, uniteVisitors } from './parts.ts'
import { type Explained, inOneSnapshot } from './source.ts'

type HitCounts = Pick<TrafficTotals, 'pageviews' | 'customEvents'>
type SessionCounts = Pick<TrafficTotals, 'sessions' | 'bounces' | 'durationMs'>

/** Counts one slice of the hits. Returns visitors instead of their number, since other slices may have the same visitors. */
const countFilteredSliceHits = filteredQuery<
  { bounds: Date[] },
  HitCounts & { bucket: number; visitors: Buffer | null }
>(
  'count-filtered-slice-hits',
  ['filtered_hits'],
  `select
    width_bucket(at, (select bounds from params)) - 1 as bucket,
    count(*) filter (where type = 'pageview') as pageviews,
    count(*) filter (where type = 'event' and not is_service) as "customEvents",
    array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors
  from filtered_hits
  group by 1`,
)

/** One row for each bucket in which filtered sessions started; `bucket` counts, from 0, the half-open buckets that begin at `bounds`. */
const countFilteredSessions = filteredQuery<{ bounds: Date[] }, SessionCounts & { bucket: number }>(
  'count-filtered-sessions',
  ['filtered_sessions'],
  `select
    width_bucket(started_at, (select bounds from params)) - 1 as bucket,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms)::float8 as "durationMs"
  from filtered_sessions
  group by 1`,
)

export type TrafficTerm = 'pageviews' | 'visitors' | 'sessions' | 'bounces' | 'duration_ms' | 'custom_events'

const FIELDS = {
  pageviews: 'pageviews',
  visitors: 'visitors',
  sessions: 'sessions',
  bounces: 'bounces',
  duration_ms: 'durationMs',
  custom_events: 'customEvents',
} satisfies Record<TrafficTerm, keyof TrafficTotals>

/** Returns what the traffic of a period consists of, as `countTraffic` counts it. */
export async function explainTraffic(explained: Explained): Promise<Record<TrafficTerm, Term>> {
  const { services, resolved, parts } = explained
  const { siteNo } = resolved
  const spans = { window: toWindow(resolved), buckets: parts.map(toWindow) }
  if (isUnfiltered(resolved)) {
    return termsOf(FIELDS, await runTask(services.rollups, 'explainTraffic', { siteNo, ...spans }))
  }
  return explainFiltered(explained)
}

/** Returns the terms that counts of a thread have. */
export function termsOf<Name extends string, Counted extends object>(
  fields: Record<Name, keyof Counted>,
  { total, buckets, sources }: { total: Counted; buckets: Counted[]; sources: BySource<Counted> },
): Record<Name, Term> {
  const terms = Object.entries<keyof Counted>(fields).map(([name, field]) => {
    const amountOf = (counted: Counted) => BigInt(counted[field] as number | bigint)
    const bySource = Object.entries(sources).map(([source, counted]) => [
      source,
      amountOf(counted as Counted),
    ])
    const term: Term = {
      total: amountOf(total),
      buckets: buckets.map(amountOf),
      sources: Object.fromEntries(bySource),
      ...(name === 'visitors' && { isDistinct: true }),
    }
    return [name, term]
  })
  return Object.fromEntries(terms) as Record<Name, Term>
}

function explainFiltered({ services, resolved, parts }: Explained): Promise<Record<TrafficTerm, Term>> {
  const options = { params: { bounds: boundsOf(parts) } }
  return inOneSnapshot(services, async run => {
    const hits = parts.length > 0 ? await run(countFilteredSliceHits, resolved, options) : []
    const sessions = parts.length > 0 ? await run(countFilteredSessions, resolved, options) : []
    return {
      pageviews: sumColumn(hits, parts.length, row => row.pageviews),
      visitors: uniteVisitors(hits, parts.length),
      custom_events: sumColumn(hits, parts.length, row => row.customEvents),
      sessions: sumColumn(sessions, parts.length, row => row.sessions),
      bounces: sumColumn(sessions, parts.length, row => row.bounces),
      duration_ms: sumColumn(sessions, parts.length, row => row.durationMs),
    }
  })
}
