import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { MAX_SESSION_BYTES, MAX_SESSION_CHUNKS, MAX_SESSION_MS } from './bounds.ts'
import { lockReplays } from './delete-replays.ts'
import type { ReplayJob } from './replay-job.ts'

/** What became of a chunk; `waiting` without a session, whose pageview may still be on its way. */
export type ChunkOutcome = 'stored' | 'repeated' | 'full' | 'dropped' | 'waiting'

const shareLiveSite = query<{ siteNo: number }, { siteNo: number }>(
  'share-site-of-replay',
  'select site_no as "siteNo" from sites where site_no = :siteNo and deleted_at is null for share',
)

interface RecordingKey {
  siteNo: number
  recording: string
  since: Date
  until: Date
}

interface FoundSession {
  sessionNo: number
  sessionAt: Date
  visitorNo: number
}

const findChunk = query<RecordingKey & { position: number }, { at: Date }>(
  'find-replay-chunk',
  `select at
  from replay_chunks
  where site_no = :siteNo::int and recording = :recording::uuid and position = :position::int
    and at >= :since::timestamptz and at <= :until::timestamptz
  limit 1`,
)

/** All chunks of a recording belong to one session. */
const findSessionOfRecording = query<RecordingKey, FoundSession>(
  'find-session-of-recording',
  `select replay.session_no as "sessionNo", replay.session_at as "sessionAt", replay.visitor_no as "visitorNo"
  from (
    select session_no
    from replay_chunks
    where site_no = :siteNo::int and recording = :recording::uuid
      and at >= :since::timestamptz and at <= :until::timestamptz
    limit 1
  ) as chunk
  join session_replays as replay on replay.site_no = :siteNo::int and replay.session_no = chunk.session_no`,
)

/** The newest session that had begun, and that had a hit when the page was opened or later. */
const findSession = query<
  { siteNo: number; visitorIds: string[]; since: Date; at: Date; pageAt: Date },
  FoundSession
>(
  'find-session-of-replay',
  `select session.session_no as "sessionNo", session.started_at as "sessionAt", session.visitor_no as "visitorNo"
  from unnest(:visitorIds::uuid[]) as wanted (id)
  join visitors on visitors.site_no = :siteNo::int and visitors.id = wanted.id
  -- One lookup in the index for each visitor: the plan of a join would depend on estimates.
  cross join lateral (
    select session_no, started_at, first_at, visitor_no
    from sessions
    where site_no = :siteNo::int and visitor_no = visitors.visitor_no
      and started_at >= :since::timestamptz and started_at <= :at::timestamptz
      and first_at <= :at::timestamptz and last_at >= :pageAt::timestamptz
    order by first_at desc
    limit 1
  ) as session
  order by session.first_at desc
  limit 1`,
)

const findTotals = query<
  { siteNo: number; sessionNo: number },
  { bytes: number; chunks: number; firstAt: Date }
>(
  'find-replay-totals',
  `select bytes::float8 as bytes, chunks, first_at as "firstAt"
  from session_replays
  where site_no = :siteNo::int and session_no = :sessionNo::bigint`,
)

type NewChunk = Omit<
  ReplayJob,
  'jobId' | 'at' | 'pageAt' | 'visitorId' | 'previousVisitorId' | 'data' | 'tries'
> &
  FoundSession & { at: Date; data: Buffer; bytes: number }

const insertChunk = query<NewChunk>('insert-replay-chunk')

/** The page says when its script began, which comes after the pageview. */
const PAGE_TOLERANCE_MS = 5 * MINUTE_MS

/**
 * Stores a chunk with the session of its visitor, once, however often it is delivered.
 * @throws the database error; nothing is stored then
 */
export async function storeChunk(db: Db, job: ReplayJob): Promise<ChunkOutcome> {
  return (await db.begin(tx => storeInside(tx, job))) as ChunkOutcome
}

async function storeInside(tx: Transaction, job: ReplayJob): Promise<ChunkOutcome> {
  const { siteNo, recording, position } = job
  // Before the site: an erasure takes its locks in this order.
  await lockReplays(tx, siteNo)
  const [site] = await shareLiveSite(tx, { siteNo })
  if (!site) return 'dropped'
  const at = new Date(job.at)
  const key = { siteNo, recording, since: new Date(job.at - 2 * DAY_MS), until: new Date(job.at + DAY_MS) }
  const [stored] = await findChunk(tx, { ...key, position })
  if (stored) return 'repeated'
  const [session] = await findSessionOfRecording(tx, key)
  const found = session ?? (await findSessionOf(tx, job))
  if (!found) return 'waiting'
  const data = Buffer.from(job.data, 'base64')
  const [totals] = await findTotals(tx, { siteNo, sessionNo: found.sessionNo })
  if (totals && isFull(totals, data.length, job.at)) return 'full'
  await insertChunk(tx, { ...job, ...found, at, data, bytes: data.length })
  return 'stored'
}

const isFull = (
  { bytes, chunks, firstAt }: { bytes: number; chunks: number; firstAt: Date },
  added: number,
  at: number,
): boolean =>
  bytes + added > MAX_SESSION_BYTES || chunks >= MAX_SESSION_CHUNKS || at - firstAt.getTime() > MAX_SESSION_MS

async function findSessionOf(tx: Transaction, job: ReplayJob): Promise<FoundSession | undefined> {
  const { siteNo, visitorId, previousVisitorId } = job
  const [session] = await findSession(tx, {
    siteNo,
    visitorIds: previousVisitorId ? [visitorId, previousVisitorId] : [visitorId],
    since: new Date(job.at - DAY_MS),
    at: new Date(job.at),
    pageAt: new Date(job.pageAt - PAGE_TOLERANCE_MS),
  })
  return session
}
