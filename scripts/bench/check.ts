import type { Db } from '../../src/db/connect.ts'
import { query } from '../../src/db/query.ts'
import type { Api } from './account.ts'
import { figure } from './table.ts'

interface Recount {
  hits: number
  pageviews: number
  customEvents: number
  visitors: number
  visitorNos: number
  sessionNos: number
  errorIds: number
  firstAt: Date
  sessions: number
  sessionPageviews: number
  bounces: number
  durationMs: number
  wrongDurations: number
  visitorRows: number
  visitorSessions: number
  errorGroups: number
  firstEventAt: Date | null
  dirtyBuckets: number
  deadLetters: number
}

interface Overview {
  pageviews: number
  visitors: number
  sessions: number
  custom_events: number
  bounce_rate: number
  avg_session_seconds: number
}

const recountSite = query<{ siteNo: number }, Recount>('recount-site')

/** Two numbers that must be equal. */
export interface Check {
  what: string
  stored: number
  recounted: number
}

/**
 * Compares the derived data of a site, and the answers of the service, with the raw hits of the site.
 * @param options.hits expected number of hits
 * @param options.from first day of the hits
 * @param options.to last day of the hits
 */
export async function checkSite(
  { db, api }: { db: Db; api: Api },
  options: { siteId: string; siteNo: number; hits: number; from: string; to: string },
): Promise<Check[]> {
  const [found] = await recountSite(db, { siteNo: options.siteNo })
  const raw = found!
  const overview = await api<Overview>(
    'GET',
    `/api/sites/${options.siteId}/overview?from=${options.from}&to=${options.to}`,
  )
  const check = (what: string, stored: number, recounted: number) => ({ what, stored, recounted })
  const rounded = (value: number) => Math.round(value * 100) / 100
  return [
    check('hits', raw.hits, options.hits),
    check('sessions', raw.sessions, raw.sessionNos),
    check('pageviews of sessions', raw.sessionPageviews, raw.pageviews),
    check('sessions whose duration is not last - first', raw.wrongDurations, 0),
    check('visitors', raw.visitorRows, raw.visitorNos),
    check('sessions of visitors', raw.visitorSessions, raw.sessions),
    check('error groups', raw.errorGroups, raw.errorIds),
    check('first event', raw.firstEventAt?.getTime() ?? 0, raw.firstAt.getTime()),
    check('buckets that are not rolled up', raw.dirtyBuckets, 0),
    check('dead letters', raw.deadLetters, 0),
    check('overview: pageviews', overview.pageviews, raw.pageviews),
    check('overview: visitors', overview.visitors, raw.visitors),
    check('overview: sessions', overview.sessions, raw.sessions),
    check('overview: custom events', overview.custom_events, raw.customEvents),
    check('overview: bounce rate', overview.bounce_rate, rounded((100 * raw.bounces) / raw.sessions)),
    check(
      'overview: average seconds',
      rounded(overview.avg_session_seconds),
      rounded(raw.durationMs / raw.sessions / 1000),
    ),
  ]
}

/**
 * Requires that the two numbers of every check are equal.
 * @throws Error that names every pair that differs
 */
export function requireEqual(checks: Check[]): void {
  const wrong = checks.filter(({ stored, recounted }) => stored !== recounted)
  if (wrong.length === 0) return
  const lines = wrong.map(
    ({ what, stored, recounted }) => `${what}: ${figure(stored)}, but recounted ${figure(recounted)}`,
  )
  throw new Error(`the seeded data is not consistent\n${lines.join('\n')}`)
}
