import { type BreakdownDimension, isHitDimension, isOfSessionEnd } from '../../dimensions/dimensions.ts'
import { isRolledUpDimension } from '../../dimensions/rolled-up.ts'
import { type Counts, noCounts } from '../../rollups/daily/codec.ts'
import { type Explained as ExplainedTask, runTask } from '../../rollups/protocol.ts'
import { boundsOf, toWindow } from '../../time/range.ts'
import { PAGES } from '../breakdown/page-dimensions.ts'
import { isUnfiltered } from '../filters/resolved-query.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { type PartRow, sumColumn, sumOfRows, type Term, uniteVisitors } from './parts.ts'
import { type Explained, inOneSnapshot, type Run } from './source.ts'
import { termsOf } from './traffic.ts'

/** What the row of a value in a breakdown counts of its traffic. */
export type ValueTerm =
  | 'pageviews'
  | 'visitors'
  | 'sessions'
  | 'bounces'
  | 'duration_ms'
  | 'timed_sessions'
  | 'engaged_ms'
  | 'engaged_sessions'
  | 'scroll_percent'
  | 'scrolled_sessions'

type Counted = Record<keyof typeof FIELDS_OF_COUNTS, number> & { timedSessions: number }
const FIELDS_OF_COUNTS = {
  pageviews: 0,
  visitors: 0,
  sessions: 0,
  bounces: 0,
  durationMs: 0,
  engagedMs: 0,
  engagedSessions: 0,
  scrollSum: 0,
  scrolledSessions: 0,
}
const FIELDS = {
  pageviews: 'pageviews',
  visitors: 'visitors',
  sessions: 'sessions',
  bounces: 'bounces',
  duration_ms: 'durationMs',
  timed_sessions: 'timedSessions',
  engaged_ms: 'engagedMs',
  engaged_sessions: 'engagedSessions',
  scroll_percent: 'scrollSum',
  scrolled_sessions: 'scrolledSessions',
} satisfies Record<ValueTerm, keyof Counted>

/** The value of a dimension that a breakdown has a row of. */
export interface Subject {
  dimension: BreakdownDimension
  /** As it is stored: empty for `(none)`. */
  value: string
}

type SessionRow = PartRow & { pageviews: number; sessions: number; bounces: number; durationMs: number }
type EngagementRow = { bucket: number } & Record<
  'engagedMs' | 'engagedSessions' | 'scrollSum' | 'scrolledSessions',
  number
>
type Bounds = { bounds: Date[] }

const HITS = `select
    width_bucket(at, (select bounds from params)) - 1 as bucket,
    count(*) filter (where type = 'pageview') as pageviews,
    array_send(array_agg(distinct visitor_no) filter (where not is_service)) as visitors,
    0::bigint as sessions,
    0::bigint as bounces,
    0::float8 as "durationMs"
  from filtered_hits
  group by 1
  union all`
const SESSIONS = `width_bucket(started_at, (select bounds from params)) - 1 as bucket,
    0 as pageviews,
    null::bytea as visitors,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms)::float8 as "durationMs"
  from filtered_sessions`

/** Counts of a value by part, one row for hits and one for sessions. */
const explainHitValue = filteredQuery<Bounds, SessionRow>(
  'explain-hit-value',
  ['filtered_hits', 'session_hits', 'filtered_sessions'],
  `${HITS}
  select ${SESSIONS}
  where session_no in (select session_no from session_hits)
  group by 1`,
)
const explainSessionValue = filteredQuery<Bounds, SessionRow>(
  'explain-session-value',
  ['filtered_hits', 'filtered_sessions'],
  `${HITS}
  select ${SESSIONS}
  group by 1`,
)
const explainEndValue = filteredQuery<Bounds, SessionRow>(
  'explain-end-value',
  ['filtered_sessions'],
  `select
    width_bucket(started_at, (select bounds from params)) - 1 as bucket,
    sum(pageviews)::bigint as pageviews,
    array_send(array_agg(distinct visitor_no)) as visitors,
    count(*) as sessions,
    count(*) filter (where pageviews = 1) as bounces,
    sum(duration_ms)::float8 as "durationMs"
  from filtered_sessions
  group by 1`,
)

const explainEngagement = filteredQuery<Bounds, EngagementRow>(
  'explain-engagement',
  ['session_hits', 'engagements'],
  `select
    width_bucket(session_at, (select bounds from params)) - 1 as bucket,
    sum(engaged_ms)::float8 as "engagedMs",
    count(*) as "engagedSessions",
    coalesce(sum(scroll), 0)::bigint as "scrollSum",
    count(scroll) as "scrolledSessions"
  from (
    select session_no, session_at, coalesce(sum(engaged_ms), 0) as engaged_ms, max(scroll) as scroll
    from engagements
    group by 1, 2
  ) as engaged
  where session_no in (select session_no from session_hits)
  group by 1`,
)

/** Returns what the traffic of a row of a breakdown consists of: from daily rollups where the breakdown reads them, else from rows. */
export async function explainValueTraffic(
  explained: Explained,
  subject: Subject,
): Promise<Record<ValueTerm, Term>> {
  const { services, resolved, parts, site } = explained
  if (isUnfiltered(resolved) && isRolledUpDimension(subject.dimension)) {
    const found = await runTask(services.rollups, 'explainValue', {
      siteNo: resolved.siteNo,
      window: toWindow(resolved),
      buckets: parts.map(toWindow),
      zone: site.timezone,
      ...subject,
    })
    if (found) return termsOf(FIELDS, timedIn(found))
  }
  if (parts.length === 0) return termsOf(FIELDS, { total: timed(noCounts()), buckets: [], sources: {} })
  return inOneSnapshot(services, run => explainRows(run, explained, subject))
}

const timed = (counts: Counts): Counted => ({
  ...counts,
  timedSessions: counts.sessions - counts.untimedSessions,
})

function timedIn({ total, buckets, sources }: ExplainedTask<Counts>): ExplainedTask<Counted> {
  const bySource = Object.entries(sources).map(([source, counts]) => [source, timed(counts)])
  return { total: timed(total), buckets: buckets.map(timed), sources: Object.fromEntries(bySource) }
}

async function explainRows(
  run: Run,
  { resolved, parts, site }: Explained,
  { dimension, value }: Subject,
): Promise<Record<ValueTerm, Term>> {
  const options = {
    params: { bounds: boundsOf(parts) },
    value: dimension,
    values: [value],
    zone: site.timezone,
  }
  const rows = await run(statementOf(dimension), resolved, options)
  const engaged = PAGES.has(dimension) ? await run(explainEngagement, resolved, options) : []
  const sum = (field: 'pageviews' | 'sessions' | 'bounces' | 'durationMs') =>
    sumColumn(rows, parts.length, row => row[field] ?? 0)
  const sumEngaged = (field: keyof Omit<EngagementRow, 'bucket'>) =>
    engaged.length > 0 ? sumColumn(engaged, parts.length, row => row[field]) : sumOfRows(parts.map(() => 0n))
  return {
    pageviews: sum('pageviews'),
    visitors: uniteVisitors(rows, parts.length),
    sessions: sum('sessions'),
    bounces: sum('bounces'),
    duration_ms: sum('durationMs'),
    timed_sessions: sum('sessions'),
    engaged_ms: sumEngaged('engagedMs'),
    engaged_sessions: sumEngaged('engagedSessions'),
    scroll_percent: sumEngaged('scrollSum'),
    scrolled_sessions: sumEngaged('scrolledSessions'),
  }
}

function statementOf(dimension: BreakdownDimension) {
  if (isHitDimension(dimension)) return explainHitValue
  return isOfSessionEnd(dimension) ? explainEndValue : explainSessionValue
}
