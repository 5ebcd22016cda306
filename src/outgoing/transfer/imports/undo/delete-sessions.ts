import type { Db, Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { DAY_MS } from '../../../../platform/lib/time.ts'
import { stampChanges } from '../../../../storage/columns/stamps.ts'
import { markBuckets } from '../../../../storage/rollups/dirty.ts'
import { inErasingTransaction } from '../../../people/erase/erasing-transaction.ts'
import { EARLIEST, findNextRow } from '../../../people/next-row.ts'
import type { UndoTask } from '../import-kind.ts'
import { importedSpan } from './imported-span.ts'
import { requireDetails } from './require-details.ts'

/** Sessions that are read at once, those of live visitors included. */
const PAGE = 1_000
/** Hits of one transaction, about: no hits are stored meanwhile. */
const MOST_HITS = 2_000

interface Session {
  sessionNo: number
  visitorNo: number
  startedAt: Date
  firstAt: Date
  lastAt: Date
  hits: number
}

const selectSessions = query<{ siteNo: number; from: Date; after: number; limit: number }, Session>(
  'select-sessions-after',
  `select
    session_no as "sessionNo", visitor_no as "visitorNo", started_at as "startedAt", first_at as "firstAt",
    last_at as "lastAt", pageviews + events as hits
  from sessions
  where site_no = :siteNo::int and started_at >= :from::timestamptz
    and (started_at, session_no) > (:from::timestamptz, :after::bigint)
  order by started_at, session_no
  limit :limit::int`,
)

const selectImported = query<{ visitorNos: number[]; format: string }, { visitorNo: number }>(
  'select-imported-visitors',
  `select visitor_no as "visitorNo"
  from visitors
  where visitor_no = any(:visitorNos::int[]) and imported_as = :format::text`,
)

type Slice = { siteNo: number; sessionNos: number[]; start: Date; end: Date }

/** An identify hit may come up to 30 minutes after the last hit of its session. */
const deleteHits = query<Slice, { at: Date }>(
  'delete-imported-hits',
  `delete from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at <= :end::timestamptz + interval '30 minutes'
    and session_no = any(:sessionNos::bigint[]) and not is_service
  returning at`,
)

const deleteReports = query<Slice>(
  'delete-imported-web-vitals',
  `delete from web_vitals
  where site_no = :siteNo::int and at >= :start::timestamptz and at <= :end::timestamptz
    and session_no = any(:sessionNos::bigint[])`,
)

const deleteRows = query<
  Slice,
  { visitorNo: number; startedAt: Date; pageviews: number; durationMs: number }
>(
  'delete-imported-sessions',
  `with kept as (
    delete from money_sessions where site_no = :siteNo::int and session_no = any(:sessionNos::bigint[])
  )
  delete from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at <= :end::timestamptz
    and session_no = any(:sessionNos::bigint[])
  returning
    visitor_no as "visitorNo", started_at as "startedAt", pageviews, duration_ms::float8 as "durationMs"`,
)

/** What a visitor has left decides whether the visitor is deleted: see `deleteVisitors`. */
const countDown = query<{ visitorNos: number[] }>(
  'count-down-imported-sessions',
  `update visitors
  set session_count = greatest(session_count - gone.sessions, 0)
  from (
    select visitor_no, count(*)::int as sessions from unnest(:visitorNos::int[]) as visitor_no group by visitor_no
  ) as gone
  where visitors.visitor_no = gone.visitor_no`,
)

/** Deletes the sessions of the import with their hits, in the order of their start. */
export async function deleteSessions(db: Db, { siteNo, format, turn, onProgress }: UndoTask): Promise<void> {
  let [from, after] = [EARLIEST, 0]
  let done = 0
  for (;;) {
    const page = await selectSessions(db, { siteNo, from, after, limit: PAGE })
    if (page.length === 0) return
    const visitorNos = [...new Set(page.map(({ visitorNo }) => visitorNo))]
    const imported = new Set(
      (await selectImported(db, { visitorNos, format })).map(({ visitorNo }) => visitorNo),
    )
    for (const sessions of cut(page.filter(({ visitorNo }) => imported.has(visitorNo)))) {
      await turn.pass()
      await inErasingTransaction(db, siteNo, tx => deleteSlice(tx, siteNo, sessions))
      done += sessions.length
      onProgress?.({ part: 0.5, note: `${done} sessions` })
    }
    const last = page.at(-1)!
    ;[from, after] = [last.startedAt, last.sessionNo]
  }
}

/** Parts of at most `MOST_HITS` hits; a session with more is a part by itself. */
function cut(sessions: Session[]): Session[][] {
  const parts: Session[][] = []
  let hits = Number.POSITIVE_INFINITY
  for (const session of sessions) {
    hits += session.hits
    if (hits <= MOST_HITS) {
      parts.at(-1)!.push(session)
    } else {
      parts.push([session])
      hits = session.hits
    }
  }
  return parts
}

async function deleteSlice(tx: Transaction, siteNo: number, sessions: Session[]): Promise<void> {
  const first = Math.min(...sessions.map(({ firstAt, startedAt }) => Math.min(+firstAt, +startedAt)))
  const last = Math.max(...sessions.map(({ lastAt, startedAt }) => Math.max(+lastAt, +startedAt)))
  const sessionNos = sessions.map(({ sessionNo }) => sessionNo)
  const slice = { siteNo, sessionNos, start: new Date(first), end: new Date(last) }
  await requireDetails(tx, siteNo, slice.start)
  const hits = await deleteHits(tx, slice)
  await deleteReports(tx, slice)
  const gone = await deleteRows(tx, slice)
  await countDown(tx, { visitorNos: gone.map(({ visitorNo }) => visitorNo) })
  const touched = hits.map(({ at }) => ({ siteNo, at: at.getTime() }))
  const started = sessions.map(({ startedAt }) => ({ siteNo, at: startedAt.getTime() }))
  await stampChanges(tx, 'sessions', started)
  await markBuckets(tx, 'hits', touched)
  await markBuckets(tx, 'daily_rollups', [...touched, ...started])
}

const selectLoose = query<
  { siteNo: number; start: Date; end: Date },
  { at: Date; id: string; visitorNo: number }
>(
  'select-loose-identifies',
  `select at, id, visitor_no as "visitorNo"
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and type = 'identify' and session_no is null and visitor_no is not null`,
)

const deleteLoose = query<{ siteNo: number; start: Date; end: Date; ids: string[] }>(
  'delete-loose-identifies',
  `delete from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and id = any(:ids::uuid[])`,
)

/** Deletes identify hits of the import that no session took, a day at a time. */
export async function deleteLooseHits(db: Db, task: UndoTask): Promise<void> {
  const { siteNo, format, turn } = task
  const span = await importedSpan(db, task)
  if (!span) return
  for (let from = span.start; from < span.end; ) {
    await turn.pass()
    const [next] = await findNextRow(db, { siteNo, from })
    if (!next!.at || next!.at >= span.end) return
    const day = { siteNo, start: next!.at, end: new Date(next!.at.getTime() + DAY_MS) }
    const loose = await selectLoose(db, day)
    if (loose.length > 0) {
      const visitorNos = [...new Set(loose.map(({ visitorNo }) => visitorNo))]
      const imported = new Set(
        (await selectImported(db, { visitorNos, format })).map(({ visitorNo }) => visitorNo),
      )
      const gone = loose.filter(({ visitorNo }) => imported.has(visitorNo))
      await inErasingTransaction(db, siteNo, async tx => {
        await deleteLoose(tx, { ...day, ids: gone.map(({ id }) => id) })
        await markBuckets(
          tx,
          'hits',
          gone.map(({ at }) => ({ siteNo, at: at.getTime() })),
        )
      })
    }
    from = day.end
  }
}
