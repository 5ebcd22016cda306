import { type BySource, runTask, type TrafficTotals } from '../../rollups/protocol.ts'
import { boundsOf, toWindow } from '../../time/range.ts'
import { isUnfiltered, sessionValuesOf } from '../filters/resolved-query.ts'
import { countFilteredSessions, countFilteredSliceHits } from '../metrics/filtered-traffic.ts'
import { sumColumn, type Term, uniteVisitors } from './parts.ts'
import { type Explained, inOneSnapshot } from './source.ts'

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
  const ofValues = sessionValuesOf(resolved)
  const found =
    ofValues && (await runTask(services.rollups, 'explainTrafficOfValues', { ...ofValues, ...spans }))
  return found ? termsOf(FIELDS, found) : explainFiltered(explained)
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
