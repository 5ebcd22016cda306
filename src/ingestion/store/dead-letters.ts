import { v5 as uuidv5 } from 'uuid'
import { type Db, statement } from '../../infra/db.ts'
import type { Log } from '../../infra/log.ts'
import type { EnrichedHit } from '../hit.ts'
import { enrich } from '../stages/index.ts'
import { storeHits } from './store.ts'
import { forAMinute, storeSound } from './store-sound.ts'

// Hits that could not be stored lie in a table with their reason, until somebody has removed what kept them out.

const insertDeadLetter = statement('insert-dead-letter')
const countDeadLetters = statement<{ count: number }>('count-dead-letters')
const listLetters = statement<Letter>('list-dead-letters')
const selectIds = statement<{ id: string }>('select-dead-letter-ids')
const selectLetters = statement<{ id: string; payload: string }>('select-dead-letters')
const renewReason = statement('renew-dead-letter')
const deleteLetters = statement('delete-dead-letters')

/** Letters of one transaction; a payload has up to 300,000 characters. */
const SLICE = 200

interface Letter {
  id: string
  /** Null where the hit names no site that is known. */
  siteId: string | null
  at: Date | null
  reason: string
  payload: string
  failedAt: Date
}

/**
 * Puts aside what cannot be stored. Of a hit that lies there already, nothing changes.
 * @param hit whatever came out of the queue
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
 * The letters that failed last, the newest first.
 * @param options.siteNo null for those of all sites
 * @returns `total` counts all, listed or not
 */
export async function listDeadLetters(
  db: Db,
  { siteNo, limit }: { siteNo: number | null; limit: number },
): Promise<{ total: number; letters: Letter[] }> {
  const [all] = await countDeadLetters(db, siteNo)
  return { total: all!.count, letters: await listLetters(db, siteNo, limit) }
}

export interface Retried {
  /** Hits that are recorded now; those that were stored before a retry was cut off are among them. */
  stored: number
  /** What no live hit would be recorded for either: engagement without its pageview, a site that is deleted. */
  dropped: number
  /** Still there, with the reason of this time. */
  failed: number
}

/**
 * Takes dead letters through the pipeline again. A letter goes only when its hit is stored or dropped, and a hit that is
 * stored already is recognised: it may be cut off at any point and run again, and counts nothing twice.
 * @param siteNo null for the letters of all sites
 * @throws what the database throws when it stays away
 */
export async function retryDeadLetters(db: Db, siteNo: number | null, log: Log): Promise<Retried> {
  const total: Retried = { stored: 0, dropped: 0, failed: 0 }
  // What fails again meanwhile is not tried for ever.
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
    dropped: result.dropped + result.pageless.length,
    failed: failures.size,
  }
}

/** Worked out anew: what kept the hit out may have been how it was read. */
function readHit(payload: string): EnrichedHit {
  const hit = JSON.parse(payload)
  if (!Number.isInteger(hit?.siteNo)) throw new Error('the payload is no hit')
  return enrich(hit)
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** What can be said of a hit that may be anything; the id of one without is that of its content. */
function identityOf(hit: unknown): { id: string; siteNo: number | null; at: Date | null } {
  const { id, siteNo, at } = (hit ?? {}) as { id?: unknown; siteNo?: unknown; at?: unknown }
  // Years that PostgreSQL knows too.
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
