import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'

/** Blocks storing and deleting of replays of a site until the transaction ends. */
export async function lockReplays(tx: Transaction, siteNo: number): Promise<void> {
  await lockSite(tx, { lock: ADVISORY_LOCKS.replays, siteNo })
}

const lockSite = query<{ lock: number; siteNo: number }>(
  'lock-replays',
  'select pg_advisory_xact_lock(:lock::int, :siteNo::int)',
)

interface OneSession {
  siteNo: number
  sessionNo: number
}

/** The bounds are those of the chunks: without them, all chunks of the hypertable would be searched. */
const deleteOfSession = query<OneSession, { bytes: number }>(
  'delete-session-replay',
  `with
    gone as (
      delete from session_replays
      where site_no = :siteNo::int and session_no = :sessionNo::bigint
      returning first_at, last_at, bytes
    ),
    gone_chunks as (
      delete from replay_chunks
      where site_no = :siteNo::int and session_no = :sessionNo::bigint
        and at >= (select first_at from gone) and at <= (select last_at from gone)
    )
  select bytes from gone`,
)

/**
 * Deletes all recordings of a session. Call `lockReplays` before in the same transaction: a chunk that is being stored would stay.
 * @returns whether there were any
 */
export async function deleteReplay(tx: Transaction, session: OneSession): Promise<boolean> {
  return (await deleteOfSession(tx, session)).length > 0
}

/** Chunks of one transaction; each has up to 256 KiB. */
const MOST_CHUNKS = 200

const purgeChunks = query<{ siteNo: number; limit: number }, { count: number }>(
  'purge-replay-chunks',
  `with
    picked as materialized (
      select at, recording, position
      from replay_chunks
      where site_no = :siteNo::int
      order by at
      limit :limit::int
    ),
    gone as (
      delete from replay_chunks
      using picked
      where replay_chunks.site_no = :siteNo::int
        and replay_chunks.at >= (select min(at) from picked) and replay_chunks.at <= (select max(at) from picked)
        and replay_chunks.at = picked.at and replay_chunks.recording = picked.recording
        and replay_chunks.position = picked.position
      returning 1
    )
  select count(*)::int as count from gone`,
)

/** Sessions of one transaction. */
const MOST_SESSIONS = 20_000

const purgeSessions = query<{ siteNo: number; limit: number }, { count: number }>(
  'purge-session-replays',
  `with gone as (
    delete from session_replays
    where site_no = :siteNo::int and session_no = any(array(
      select session_no from session_replays where site_no = :siteNo::int limit :limit::int
    ))
    returning 1
  )
  select count(*)::int as count from gone`,
)

/** Deletes some recordings of a deleted site. @returns whether there may be more */
export async function purgeReplays(db: Queryable, siteNo: number): Promise<boolean> {
  const [chunks] = await purgeChunks(db, { siteNo, limit: MOST_CHUNKS })
  if (chunks!.count > 0) return true
  const [sessions] = await purgeSessions(db, { siteNo, limit: MOST_SESSIONS })
  return sessions!.count > 0
}
