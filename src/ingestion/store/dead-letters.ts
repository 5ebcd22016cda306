import { v5 as uuidv5 } from 'uuid'
import { isUuid } from '../../access/sites/domain.ts'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { EnrichedHit } from '../hit.ts'
import { enrich } from '../stages/index.ts'
import { retryForAMinute, storeHits, storeWithBisection } from './store.ts'

// Dead letters: hits that could not be stored, with the reason. They stay until an operator has fixed the cause and retries.

/** Dead letters of one transaction; a payload has up to 300,000 characters. */
const SLICE = 200

interface Letter {
  id: string
  /** Null if the hit names no known site. */
  siteId: string | null
  at: Date | null
  reason: string
  payload: string
  failedAt: Date
}

/** Stores nothing for a hit of a deleted site. */
const insertDeadLetter = query<{
  id: string
  siteNo: number | null
  at: Date | null
  reason: string
  payload: string
}>(
  'insert-dead-letter',
  `insert into dead_letters (id, site_no, at, reason, payload)
  select :id::uuid, :siteNo::int, :at::timestamptz, :reason::text, :payload::text
  where not exists (select from sites where site_no = :siteNo::int and deleted_at is not null)
  on conflict (id) do nothing`,
)

const countDeadLetters = query<{ siteNo: number | null }, { count: number }>(
  'count-dead-letters',
  'select count(*)::int as count from dead_letters where :siteNo::int is null or site_no = :siteNo',
)

const selectNewestLetters = query<{ siteNo: number | null; limit: number }, Letter>(
  'list-dead-letters',
  `select
    dead_letters.id,
    sites.id as "siteId",
    dead_letters.at,
    dead_letters.reason,
    dead_letters.payload,
    dead_letters.failed_at as "failedAt"
  from dead_letters
  left join sites on sites.site_no = dead_letters.site_no
  where :siteNo::int is null or dead_letters.site_no = :siteNo
  order by dead_letters.failed_at desc, dead_letters.id
  limit :limit`,
)

/** In the order of the hits, so that a pageview comes before its engagement. */
const selectIds = query<{ siteNo: number | null }, { id: string }>(
  'select-dead-letter-ids',
  'select id from dead_letters where :siteNo::int is null or site_no = :siteNo order by at, id',
)

const selectLetters = query<{ ids: string[] }, { id: string; payload: string }>(
  'select-dead-letters',
  'select id, payload from dead_letters where id = any(:ids::uuid[])',
)

const updateReason = query<{ id: string; reason: string }>(
  'update-dead-letter',
  'update dead_letters set reason = :reason, failed_at = now() where id = :id::uuid',
)

const deleteLetters = query<{ ids: string[] }>(
  'delete-dead-letters',
  'delete from dead_letters where id = any(:ids::uuid[])',
)

/**
 * Moves a hit that cannot be stored to the dead letters. An existing dead letter of the same hit stays unchanged.
 * @param hit unvalidated data from the queue
 */
export async function moveToDeadLetters(
  db: Db,
  hit: unknown,
  error: unknown,
): Promise<{ hitId: string; siteNo: number | null; reason: string }> {
  const { id, siteNo, at } = identityOf(hit)
  const reason = reasonOf(error)
  const payload = JSON.stringify(hit) ?? 'undefined'
  await insertDeadLetter(db, { id, siteNo, at, reason, payload: cut(payload, 300_000) })
  return { hitId: id, siteNo, reason }
}

/**
 * Returns the dead letters that failed last, newest first.
 * @param options.siteNo null for all sites
 * @returns `total` counts all dead letters, also those beyond `limit`
 */
export async function listDeadLetters(
  db: Db,
  { siteNo, limit }: { siteNo: number | null; limit: number },
): Promise<{ total: number; letters: Letter[] }> {
  const [all] = await countDeadLetters(db, { siteNo })
  return { total: all!.count, letters: await selectNewestLetters(db, { siteNo, limit }) }
}

export interface Retried {
  /** Hits that are stored now, including hits that an interrupted retry had already stored. */
  stored: number
  /** Hits that live ingestion would drop too: orphan engagement, hits of a deleted site or of a time without details. */
  dropped: number
  /** Hits that failed again; their dead letters have the new reason. */
  failed: number
}

/**
 * Processes dead letters again. Deletes a dead letter only after its hit is stored or dropped, and recognises hits that are
 * already stored. So the function can be interrupted at any point and run again, and counts no hit twice.
 * @param siteNo null for all sites
 * @throws the database error when the database stays unavailable
 */
export async function retryDeadLetters(db: Db, siteNo: number | null, log: Log): Promise<Retried> {
  const total: Retried = { stored: 0, dropped: 0, failed: 0 }
  // Read all ids first: a hit that fails again is then not retried endlessly.
  const ids = (await selectIds(db, { siteNo })).map(letter => letter.id)
  for (let start = 0; start < ids.length; start += SLICE) {
    const { stored, dropped, failed } = await retrySlice(db, ids.slice(start, start + SLICE), log)
    total.stored += stored
    total.dropped += dropped
    total.failed += failed
  }
  return total
}

async function retrySlice(db: Db, ids: string[], log: Log): Promise<Retried> {
  const letters = new Map<EnrichedHit, string>()
  const failures = new Map<string, unknown>()
  for (const { id, payload } of await selectLetters(db, { ids })) {
    try {
      letters.set(readHit(payload), id)
    } catch (error) {
      failures.set(id, error)
    }
  }
  const store = (hits: EnrichedHit[]) => retryForAMinute(log, () => storeHits(db, 'all', hits))
  const result = await storeWithBisection([...letters.keys()], store, async (hit, error) => {
    failures.set(letters.get(hit)!, error)
  })
  for (const [id, error] of failures) await updateReason(db, { id, reason: reasonOf(error) })
  await deleteLetters(db, { ids: [...letters.values()].filter(id => !failures.has(id)) })
  return {
    stored: result.stored + result.repeated,
    dropped: result.dropped + result.expired.length + result.orphanEngagement.length,
    failed: failures.size,
  }
}

/** Enriches the hit again, because the failure may have been in the enrichment. */
function readHit(payload: string): EnrichedHit {
  const hit = JSON.parse(payload)
  if (!Number.isInteger(hit?.siteNo)) throw new Error('the payload is no hit')
  return enrich(hit)
}

/** Reads id, site and time from unvalidated data; without a valid id, derives one from the content. */
function identityOf(hit: unknown): { id: string; siteNo: number | null; at: Date | null } {
  const { id, siteNo, at } = (hit ?? {}) as { id?: unknown; siteNo?: unknown; at?: unknown }
  // Limits the time to years that PostgreSQL supports.
  const isTime = typeof at === 'number' && at > -6e13 && at < 2.5e14
  return {
    id: typeof id === 'string' && isUuid(id) ? id : uuidv5(JSON.stringify(hit) ?? 'undefined', uuidv5.URL),
    siteNo:
      typeof siteNo === 'number' && Number.isInteger(siteNo) && Math.abs(siteNo) < 2 ** 31 ? siteNo : null,
    at: isTime ? new Date(at) : null,
  }
}

const reasonOf = (error: unknown) => cut(error instanceof Error ? error.message : String(error), 1_000)

const cut = (text: string, length: number) => text.replaceAll('\0', '').slice(0, length).toWellFormed()
