import { v5 as uuidv5 } from 'uuid'
import { type Db, statement } from '../../infra/db.ts'
import type { Log } from '../../infra/log.ts'
import type { EnrichedHit } from '../hit.ts'
import { enrich } from '../stages/index.ts'
import { storeHits } from './store.ts'
import { forAMinute, storeSound } from './store-sound.ts'

// Dead letters: hits that could not be stored, with the reason. They stay until an operator has fixed the cause and retries.

const insertDeadLetter = statement('insert-dead-letter')
const countDeadLetters = statement<{ count: number }>('count-dead-letters')
const listLetters = statement<Letter>('list-dead-letters')
const selectIds = statement<{ id: string }>('select-dead-letter-ids')
const selectLetters = statement<{ id: string; payload: string }>('select-dead-letters')
const renewReason = statement('renew-dead-letter')
const deleteLetters = statement('delete-dead-letters')

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

/**
 * Moves a hit that cannot be stored to the dead letters. An existing dead letter of the same hit stays unchanged.
 * @param hit unvalidated data from the queue
 */
export async function buryHit(
  db: Db,
  hit: unknown,
  error: unknown,
): Promise<{ hitId: string; siteNo: number | null; reason: string }> {
  const { id, siteNo, at } = identityOf(hit)
  const reason = reasonOf(error)
  const payload = JSON.stringify(hit) ?? 'undefined'
  await insertDeadLetter(db, id, siteNo, at, reason, cut(payload, 300_000))
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
  const [all] = await countDeadLetters(db, siteNo)
  return { total: all!.count, letters: await listLetters(db, siteNo, limit) }
}

export interface Retried {
  /** Hits that are stored now, including hits that an interrupted retry had already stored. */
  stored: number
  /** Hits that live ingestion would drop too: orphan engagement, hits of a deleted site. */
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
  const ids = (await selectIds(db, siteNo)).map(letter => letter.id)
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
  for (const { id, payload } of await selectLetters(db, ids)) {
    try {
      letters.set(readHit(payload), id)
    } catch (error) {
      failures.set(id, error)
    }
  }
  const store = (hits: EnrichedHit[]) => forAMinute(log, () => storeHits(db, 'all', hits))
  const result = await storeSound([...letters.keys()], store, async (hit, error) => {
    failures.set(letters.get(hit)!, error)
  })
  for (const [id, error] of failures) await renewReason(db, id, reasonOf(error))
  await deleteLetters(
    db,
    [...letters.values()].filter(id => !failures.has(id)),
  )
  return {
    stored: result.stored + result.repeated,
    dropped: result.dropped + result.orphanEngagement.length,
    failed: failures.size,
  }
}

/** Enriches the hit again, because the failure may have been in the enrichment. */
function readHit(payload: string): EnrichedHit {
  const hit = JSON.parse(payload)
  if (!Number.isInteger(hit?.siteNo)) throw new Error('the payload is no hit')
  return enrich(hit)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Reads id, site and time from unvalidated data; without a valid id, derives one from the content. */
function identityOf(hit: unknown): { id: string; siteNo: number | null; at: Date | null } {
  const { id, siteNo, at } = (hit ?? {}) as { id?: unknown; siteNo?: unknown; at?: unknown }
  // Limits the time to years that PostgreSQL supports.
  const isTime = typeof at === 'number' && at > -6e13 && at < 2.5e14
  return {
    id: typeof id === 'string' && UUID.test(id) ? id : uuidv5(JSON.stringify(hit) ?? 'undefined', uuidv5.URL),
    siteNo:
      typeof siteNo === 'number' && Number.isInteger(siteNo) && Math.abs(siteNo) < 2 ** 31 ? siteNo : null,
    at: isTime ? new Date(at) : null,
  }
}

const reasonOf = (error: unknown) => cut(error instanceof Error ? error.message : String(error), 1_000)

const cut = (text: string, length: number) => text.replaceAll('\0', '').slice(0, length).toWellFormed()
