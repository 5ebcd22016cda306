import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts'
import { arraysOf, arrayText, timeText } from '../../platform/db/array-text.ts'
import type { Transaction } from '../../platform/db/connect.ts'
import { copyInto, copyLines } from '../../platform/db/copy.ts'
import { query } from '../../platform/db/query.ts'
import { stampChanges } from '../../storage/columns/stamps.ts'
import { attributeAwaiting } from '../../storage/events/attribution.ts'
import { markBuckets } from '../../storage/rollups/dirty.ts'
import type { EnrichedHit } from '../hit.ts'
import type { Visitor } from './batch-context.ts'
import { renumberVisits } from './renumber-visits.ts'
import type { SessionizedHit } from './session-rules.ts'
import { settleRestored } from './settle-restored.ts'
import { type ReportsToWrite, sessionsOfReports, writeReports } from './write-reports.ts'
import { writeIdentities, writeVisitors } from './write-visitors.ts'
import {
  EVENT_COLUMNS,
  eventLine,
  NEW_SESSION_COLUMNS,
  TOUCHED_SESSION_COLUMNS,
  type VisitorSession,
} from './written-rows.ts'

const insertSessions = query<Record<keyof typeof NEW_SESSION_COLUMNS, string>>('insert-sessions')
const touchSessions = query<Record<keyof typeof TOUCHED_SESSION_COLUMNS, string>, { written: number }>(
  'touch-sessions',
)
const copyEvents = copyInto('copy-events', 'events', EVENT_COLUMNS)

/**
 * Visitor and session numbers, in ascending order. Takes the shared newcomers lock for each site of a new session: it blocks
 * transactions that store something that is to be attributed to a visitor without a session. The order of the locks is
 * ascending, to avoid deadlocks.
 */
const drawNumbers = query<
  { visitors: number; sessions: number; lock: number; siteNos: number[] },
  { locked: number; visitorNos: number[]; sessionNos: number[] }
>(
  'draw-numbers',
  `select
    (
      select count(pg_advisory_xact_lock_shared(:lock::int, site_no))
      from (select distinct site_no from unnest(:siteNos::int[]) as site_no order by site_no) as sites
    ) as locked,
    array(select nextval('visitor_numbers')::int from generate_series(1, :visitors::int)) as "visitorNos",
    array(select nextval('session_numbers')::bigint from generate_series(1, :sessions::int)) as "sessionNos"`,
)

/** Writes the changes that the hits of a batch made to the batch context, and marks what is stale now. */
export async function writeBatch(
  tx: Transaction,
  sessionized: SessionizedHit[],
  visitors: Visitor[],
  reports?: ReportsToWrite,
): Promise<void> {
  const newVisitors = visitors.filter(visitor => visitor.isNew).sort((a, b) => a.firstSeenAt - b.firstSeenAt)
  const changedVisitors = visitors.filter(visitor => !visitor.isNew && visitor.isChanged)
  const sessions = visitors.flatMap(visitor => visitor.sessions.map(session => ({ visitor, session })))
  const newSessions = sessions
    .filter(({ session }) => session.isNew)
    .sort((a, b) => a.session.startedAt - b.session.startedAt)
  const touchedSessions = sessions.filter(({ session }) => !session.isNew && session.isChanged)

  if (newVisitors.length > 0 || newSessions.length > 0) await assignNumbers(tx, newVisitors, newSessions)
  await writeVisitors(tx, newVisitors, changedVisitors)
  if (newSessions.length > 0) await insertSessions(tx, arraysOf(NEW_SESSION_COLUMNS, newSessions))
  if (touchedSessions.length > 0) await updateSessions(tx, touchedSessions)
  const written = [...newSessions, ...touchedSessions]
  if (sessionized.length > 0) await copyEvents(tx, copyLines(sessionized, eventLine))
  if (reports) await writeReports(tx, reports)
  const attributed = await attributeAwaiting(tx, visitors.filter(hasFirstSessions))
  const hits = sessionized.map(({ hit }) => hit)
  await writeIdentities(tx, hits)
  await writeErrorGroups(tx, hits)
  const visible = hits.filter(isVisible)
  await updateFirstEvents(tx, visible)

  await settleRestored(tx, visitors)
  const renumbered = await renumberVisits(tx, visitors)
  await stampChanges(tx, 'sessions', [
    ...sessionized.flatMap(({ hit: { siteNo }, session }) =>
      session ? [{ siteNo, at: session.startedAt }] : [],
    ),
    ...written.map(({ visitor: { siteNo }, session }) => ({ siteNo, at: session.startedAt })),
    ...renumbered,
    ...(reports ? sessionsOfReports(reports) : []),
  ])
  const isLate = await markBuckets(tx, 'hits', [
    ...hits.map(({ siteNo, at }) => ({ siteNo, at })),
    ...attributed,
  ])
  if (isLate) await requireDetails(tx, hits)
  await markBuckets(tx, 'daily_rollups', [
    ...visible.map(({ siteNo, at }) => ({ siteNo, at })),
    // Engagement counts on the day of its pageview.
    ...sessionized.flatMap(({ hit, page }) => (page ? [{ siteNo: hit.siteNo, at: page.at }] : [])),
    ...written.map(({ visitor, session }) => ({ siteNo: visitor.siteNo, at: session.startedAt })),
  ])
}

/**
 * Refuses a batch when another partition has changed one of its sessions since it was read: the visitor id of a sender may be one that
 * was derived from an address, whose hits come in another partition.
 */
async function updateSessions(tx: Transaction, touched: VisitorSession[]): Promise<void> {
  const [updated] = await touchSessions(tx, arraysOf(TOUCHED_SESSION_COLUMNS, touched))
  if (updated!.written < touched.length) throw new Outdated('a session was changed meanwhile')
}

/** Returns what a batch changed in the counts of a session. */
const findExpired = query<{ siteNos: number[]; times: string }, { siteNo: number }>(
  'find-expired-hits',
  `select sites.site_no as "siteNo"
  from (
    select site_no, min(at) as at
    from unnest(:siteNos::int[], :times::timestamptz[]) as hit (site_no, at)
    group by site_no
  ) as first
  join sites on sites.site_no = first.site_no and first.at < details_from`,
)

/** Its SQLSTATE makes the caller load and store the batch again. */
class Outdated extends Error {
  readonly code = '40001'
}

/**
 * Refuses a batch when the `details_from` of a site has moved past one of its hits since the batch began. Call it after the marks
 * are set: from then on it cannot move.
 */
async function requireDetails(tx: Transaction, hits: EnrichedHit[]): Promise<void> {
  const expired = await findExpired(tx, {
    siteNos: hits.map(({ siteNo }) => siteNo),
    times: arrayText(hits.map(({ at }) => timeText(at))),
  })
  if (expired.length > 0) throw new Outdated('details of this time were dropped meanwhile')
}

async function assignNumbers(
  tx: Transaction,
  visitors: Visitor[],
  sessions: VisitorSession[],
): Promise<void> {
  const [numbers] = await drawNumbers(tx, {
    visitors: visitors.length,
    sessions: sessions.length,
    lock: ADVISORY_LOCKS.newcomers,
    siteNos: sessions.map(({ visitor }) => visitor.siteNo),
  })
  visitors.forEach((visitor, index) => {
    visitor.visitorNo = numbers!.visitorNos[index]!
  })
  sessions.forEach(({ session }, index) => {
    session.sessionNo = numbers!.sessionNos[index]!
  })
}

/**
 * Tells whether the visitor gets sessions and had none: stored payments and events may wait for them. Their number says nothing: the first
 * session that an export restores may be the visitor's third.
 */
const hasFirstSessions = ({ hadSessions, sessions }: Visitor): boolean =>
  !hadSessions && sessions.some(session => session.isNew)

/** Engagement and identify hits are not counted. */
const isVisible = ({ type }: EnrichedHit): boolean => type !== 'engagement' && type !== 'identify'

interface ErrorGroup {
  siteNo: number
  id: string
  message: string
  name: string
}

const ERROR_GROUP = {
  siteNos: (group: ErrorGroup) => group.siteNo,
  ids: (group: ErrorGroup) => group.id,
  messages: (group: ErrorGroup) => group.message,
  names: (group: ErrorGroup) => group.name,
}

const upsertErrorGroups = query<Record<keyof typeof ERROR_GROUP, string>>('upsert-error-groups')

/** Writes each error of a batch once. All batches use the same order, which prevents deadlocks between them. */
async function writeErrorGroups(tx: Transaction, hits: EnrichedHit[]): Promise<void> {
  const groups = new Map<string, ErrorGroup>()
  for (const { type, siteNo, errorId, error, restored } of hits) {
    if (type !== 'error' || !errorId) continue
    const { name: ownName = 'Error', message = ownName } = error ?? {}
    const name = restored?.errorGroup ?? ownName
    const known = groups.get(errorId)
    if (known && (known.name !== 'Error' || name === 'Error')) continue
    groups.set(errorId, { siteNo, id: errorId, message, name })
  }
  if (groups.size === 0) return
  const sorted = [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  await upsertErrorGroups(tx, arraysOf(ERROR_GROUP, sorted))
}

const setFirstEvents = query<{ siteNos: number[]; times: string }>(
  'update-first-events',
  `update sites
  set first_event_at = first.at
  from (
    select site_no, at from unnest(:siteNos::int[], :times::timestamptz[]) as given (site_no, at) order by site_no
  ) as first
  where sites.site_no = first.site_no and (sites.first_event_at is null or sites.first_event_at > first.at)`,
)

/** Moves the first event of a site back where a hit is earlier. Engagement and identify hits are no events. */
async function updateFirstEvents(tx: Transaction, hits: EnrichedHit[]): Promise<void> {
  const first = new Map<number, number>()
  for (const { siteNo, at } of hits) {
    if (at < (first.get(siteNo) ?? Number.POSITIVE_INFINITY)) first.set(siteNo, at)
  }
  if (first.size === 0) return
  const times = arrayText([...first.values()].map(timeText))
  await setFirstEvents(tx, { siteNos: [...first.keys()], times })
}
