import type { Db, Transaction } from '../../platform/db/connect.ts'
import { queries, query } from '../../platform/db/query.ts'
import type { TableName } from '../../platform/db/tables.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { stampChanges } from '../../storage/columns/stamps.ts'
import { SESSION_REACH_MS } from './boundaries.ts'
import { deleteSpan, timeOf } from './delete-days.ts'

/** Rows are deleted this long after `details_from` has moved: requests that have read the old value are over by then. */
const SETTLED_MS = MINUTE_MS

interface DueSite {
  siteNo: number
  detailsFrom: Date
  /** The site has no rows before it. */
  droppedTo: Date | null
  /** Long enough ago. */
  isSettled: boolean
}

const selectDue = query<{ movedBefore: Date }, DueSite>(
  'select-sites-without-details',
  `select
    site_no as "siteNo",
    details_from as "detailsFrom",
    details_dropped_to as "droppedTo",
    details_moved_at <= :movedBefore as "isSettled"
  from sites
  where deleted_at is null and details_from is not null
  order by site_no`,
)

interface Chunk {
  table: Extract<TableName, 'events' | 'sessions' | 'web_vitals'>
  chunk: string
  start: Date
  end: Date
}

const selectChunks = query<{ endsUntil: Date }, Chunk>(
  'select-chunks-to-drop',
  `select
    hypertable_name as "table",
    format('%I.%I', chunk_schema, chunk_name) as chunk,
    range_start as start,
    range_end as "end"
  from timescaledb_information.chunks
  where hypertable_schema = 'public' and hypertable_name in ('events', 'sessions', 'web_vitals') and range_end <= :endsUntil
  order by range_end, hypertable_name`,
)

type OtherSites = { start: Date; end: Date; siteNos: number[] }

const othersIn = (table: TableName) => `select site_no as "siteNo"
  from ${table}
  where ${timeOf(table)} >= :start::timestamptz and ${timeOf(table)} < :end::timestamptz and site_no <> all(:siteNos::int[])
  limit 1`

/** @public the test of all statements reads them */
export const OTHERS_TEXTS = {
  events: othersIn('events'),
  sessions: othersIn('sessions'),
  web_vitals: othersIn('web_vitals'),
}
const findOthers = queries<Chunk['table'], OtherSites, { siteNo: number }>(
  'find-other-sites-in',
  OTHERS_TEXTS,
)

/** Limits how long the drop of a chunk waits, because statements that come later wait behind it. */
const limitLockWait = query('limit-lock-wait', "select set_config('lock_timeout', '2s', true)")

const dropChunk = query<{ table: TableName; start: Date; end: Date }>(
  'drop-chunk',
  'select drop_chunks(:table::regclass, older_than => :end::timestamptz, newer_than => :start::timestamptz)',
)

const noteDropped = query<{ siteNos: number[]; droppedTo: Date }>(
  'note-dropped-details',
  `with
    gone_values as (
      delete from daily_values where site_no = any(:siteNos::int[]) and day < (:droppedTo::timestamptz at time zone 'UTC')::date
    ),
    gone_letters as (
      delete from dead_letters where site_no = any(:siteNos::int[]) and at < :droppedTo::timestamptz
    ),
    gone_sessions as (
      delete from money_sessions where site_no = any(:siteNos::int[]) and started_at < :droppedTo::timestamptz
    )
  update sites set details_dropped_to = :droppedTo::timestamptz
  where site_no = any(:siteNos::int[])`,
)

/**
 * Deletes the hits, sessions and web vitals of sites in chunks that end a session's reach before their `details_from`. A chunk in which no
 * other site has rows is dropped as a whole; otherwise the rows of one site after the other are deleted. No bucket is marked
 * dirty: nothing before `details_from` is counted from rows. Safe to stop at any point: what is left is deleted by the next run.
 * @returns true when time ran out
 */
export async function dropDetails(db: Db, now: Date, hasTime: () => boolean): Promise<boolean> {
  const sites = await selectDue(db, { movedBefore: new Date(now.getTime() - SETTLED_MS) })
  const settled = sites.filter(({ isSettled }) => isSettled)
  if (settled.length === 0) return false
  const reachOf = ({ detailsFrom }: DueSite) => detailsFrom.getTime() - SESSION_REACH_MS
  const endsUntil = new Date(Math.max(...settled.map(reachOf)))
  const chunks = await selectChunks(db, { endsUntil })
  for (const [index, chunk] of chunks.entries()) {
    const end = chunk.end.getTime()
    const gone = settled.filter(site => reachOf(site) >= end)
    const due = gone.filter(({ droppedTo }) => droppedTo === null || droppedTo.getTime() < end)
    if (due.length === 0) continue
    if (!hasTime()) return true
    const isDropped = await dropWhole(
      db,
      chunk,
      gone.map(({ siteNo }) => siteNo),
    )
    if (!isDropped) {
      for (const { siteNo } of due) if (!(await deleteRows(db, siteNo, chunk, hasTime))) return true
    }
    // Several hypertables may have a chunk with this end.
    if (chunks[index + 1]?.end.getTime() === end) continue
    await noteDropped(db, { siteNos: due.map(({ siteNo }) => siteNo), droppedTo: chunk.end })
  }
  return false
}

/** @returns false when other sites have rows in the chunk */
async function dropWhole(db: Db, chunk: Chunk, siteNos: number[]): Promise<boolean> {
  const { table, start, end } = chunk
  const hasOthers = async (tx: Db | Transaction) =>
    (await findOthers[table](tx, { start, end, siteNos })).length > 0
  if (await hasOthers(db)) return false
  return db.begin(async tx => {
    await limitLockWait(tx)
    await tx.unsafe(`lock table ${chunk.chunk} in access exclusive mode`)
    // Another site may have imported hits of this time since.
    if (await hasOthers(tx)) return false
    await dropChunk(tx, { table, start, end })
    if (table === 'sessions') await stampDays(tx, siteNos, chunk)
    return true
  }) as Promise<boolean>
}

/** Columns of later events of the service have copies of these sessions. */
async function stampDays(tx: Transaction, siteNos: number[], { start, end }: Chunk): Promise<void> {
  const days: number[] = []
  for (let day = start.getTime(); day < end.getTime(); day += DAY_MS) days.push(day)
  await stampChanges(
    tx,
    'sessions',
    siteNos.flatMap(siteNo => days.map(at => ({ siteNo, at }))),
  )
}

/** @returns false when time ran out */
const deleteRows = (db: Db, siteNo: number, chunk: Chunk, hasTime: () => boolean): Promise<boolean> =>
  deleteSpan(db, chunk.table, { siteNo, start: chunk.start, end: chunk.end }, hasTime, async tx => {
    if (chunk.table === 'sessions') await stampDays(tx, [siteNo], chunk)
  })
