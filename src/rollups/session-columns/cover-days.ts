import { type Db, inSnapshot, type Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { DIMENSIONS_HASH } from '../../dimensions/rolled-up.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { coverageOf, mergeWindows, OPEN_MS, type RollupSpan } from '../daily/coverage.ts'
import { findFirstEvent, lengthOf, partsSince, untilNewestHit } from '../daily/read-coverage.ts'
import { datesOf, type Tasks, type Window } from '../protocol.ts'

/** A day whose columns are read. */
export interface ColumnDay extends Window {
  /** Changes with every change of the columns. */
  version: string
}

/** A day whose columns are stored. */
export interface StoredDay extends ColumnDay {
  parts: number
}

interface FoundDay extends RollupSpan, StoredDay {
  sessions: number
  /** Sessions of the day that the columns leave out. */
  openSessionNos: number[]
  /** No hit of these sessions is before, Unix milliseconds; null without such sessions. */
  openSessionsFrom: number | null
}

// Left out: days with dirty buckets, and those that other versions of the service have rolled up. An open day without columns may be
// one without hits so far.
const selectStoredDays = query<
  { siteNo: number; start: Date; end: Date; dimensionsHash: string; openFor: string },
  FoundDay
>(
  'select-days-with-session-columns',
  `
  select
    (extract(epoch from starts_at) * 1000)::bigint as start,
    (extract(epoch from ends_at) * 1000)::bigint as "end",
    (extract(epoch from rolled_up_to) * 1000)::bigint as "rolledUpTo",
    coalesce(session_columns_version, version) as version,
    session_parts as parts,
    sessions,
    to_json(open_session_nos) as "openSessionNos",
    (extract(epoch from open_sessions_from) * 1000)::bigint as "openSessionsFrom"
  from daily_rollups
  where site_no = :siteNo::int and starts_at >= :start::timestamptz and ends_at <= :end::timestamptz
    and session_parts is not null and dimensions_hash = :dimensionsHash
    and (session_columns_version is not null or rolled_up_to >= ends_at + :openFor::interval)
    and not exists (
      select from dirty_buckets
      where aggregate = 'daily_rollups' and dirty_buckets.site_no = daily_rollups.site_no
        and bucket >= starts_at and bucket < ends_at
    )
  order by starts_at, ends_at`,
)

const storedDays = (tx: Queryable, siteNo: number, window: Window): Promise<FoundDay[]> =>
  selectStoredDays(tx, {
    siteNo,
    ...datesOf(window),
    dimensionsHash: DIMENSIONS_HASH,
    openFor: `${OPEN_MS} milliseconds`,
  })

/** What has to be counted from rows. */
export interface Gap extends Window {
  /** The only sessions that count; undefined for all. */
  sessionNos?: number[]
}

/** How a window is read. The counts of all parts add up, except visitors. */
export interface ColumnCoverage {
  days: ColumnDay[]
  gaps: Gap[]
}

/** Each gap is a statement or two. */
const MOST_GAPS = 4
/** Rows of so much time are counted beside the columns, or of a fifth of the windows if that is more. */
const MOST_GAPS_MS = 60 * HOUR_MS
/** What columns of all days have: a thread keeps two numbers for each session that matches and each of its values. */
const MOST_SESSIONS = 2_000_000

/**
 * Returns how each of several windows, which do not overlap, is read. Call it in a snapshot.
 * @returns undefined when rows should answer: too little is stored, or too much is to be read
 */
async function coverDays(
  tx: Queryable,
  siteNo: number,
  windows: readonly Window[],
): Promise<ColumnCoverage[] | undefined> {
  if (windows.length === 0) return undefined
  const span = {
    start: Math.min(...windows.map(({ start }) => start)),
    end: Math.max(...windows.map(({ end }) => end)),
  }
  const [first] = await findFirstEvent(tx, { siteNo })
  const detailsFrom = first?.detailsFrom ?? Number.NEGATIVE_INFINITY
  const kept = { start: Math.max(span.start, detailsFrom), end: Math.max(span.end, detailsFrom) }
  const stored = await storedDays(tx, siteNo, kept)
  const since = Math.max(first?.at ?? Number.POSITIVE_INFINITY, detailsFrom)
  const covered = windows.map(window => {
    const near = stored.filter(({ start, end }) => start >= window.start && end <= window.end)
    const { rollups, gaps } = coverageOf(window, near)
    return { rollups, gaps: partsSince(gaps, since) }
  })
  await endAtNewestHit(tx, siteNo, covered)
  const days = covered.flatMap(({ rollups }) => rollups)
  const gaps = covered.flatMap(window => window.gaps)
  const mostGapsMs = Math.max(MOST_GAPS_MS, (span.end - span.start) / 5)
  const isRowsBetter =
    days.length === 0 ||
    mergeWindows(gaps).length > MOST_GAPS ||
    lengthOf(gaps) > mostGapsMs ||
    days.reduce((sum, { sessions }) => sum + sessions, 0) > MOST_SESSIONS
  if (isRowsBetter) return undefined
  return covered.map(({ rollups, gaps }) => ({
    days: rollups.map(({ start, end, version }) => ({ start, end, version })),
    gaps: [...gaps, ...rollups.flatMap(openSessionsOf)],
  }))
}

/** Returns the sessions that the columns of a day leave out, from their first hit on the day. */
const openSessionsOf = ({ start, end, openSessionNos, openSessionsFrom }: FoundDay): Gap[] =>
  openSessionsFrom === null
    ? []
    : [{ start: Math.max(start, openSessionsFrom), end, sessionNos: openSessionNos }]

/**
 * Returns days, which do not overlap, as they are stored. Call it in the snapshot that reads them.
 * @returns undefined when columns of one of them were written again, or do not agree with the rows any more
 */
export async function findDays(
  tx: Queryable,
  siteNo: number,
  days: readonly ColumnDay[],
): Promise<StoredDay[] | undefined> {
  if (days.length === 0) return undefined
  const span = { start: days[0]!.start, end: days.at(-1)!.end }
  const stored = await storedDays(tx, siteNo, span)
  const found = days.flatMap(
    day =>
      stored.find(
        ({ start, end, version }) => start === day.start && end === day.end && version === day.version,
      ) ?? [],
  )
  return found.length === days.length ? found : undefined
}

/** The last windows may lie mostly in the future, where there are no hits to count. */
async function endAtNewestHit(tx: Queryable, siteNo: number, covered: { gaps: Window[] }[]): Promise<void> {
  const runs = mergeWindows(covered.flatMap(({ gaps }) => gaps))
  if (runs.length === 0) return
  const withHits = await untilNewestHit(tx, siteNo, runs)
  const end = withHits.at(-1)?.end ?? Number.NEGATIVE_INFINITY
  for (const window of covered) {
    window.gaps = window.gaps.flatMap(gap =>
      gap.start >= end ? [] : [{ start: gap.start, end: Math.min(gap.end, end) }],
    )
  }
}

/** Returns how each window is read; null when rows should answer. */
export const coverSessionColumns = (
  db: Db,
  { siteNo, windows }: Tasks['coverSessionColumns']['input'],
): Promise<Tasks['coverSessionColumns']['output']> =>
  inSnapshot(db, async tx => (await coverDays(tx, siteNo, windows)) ?? null)
