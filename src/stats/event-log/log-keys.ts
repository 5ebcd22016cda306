import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { HitKeys } from '../counts/shared/hit-keys.ts'
import { type Stretches, stretchesOf } from '../metrics/stretches.ts'
import type { LoggedHit } from './log-pages.ts'

interface Wanted extends Stretches {
  siteNo: number
  times: Date[]
  sessionNos: number[]
  /** 1 for events that the service wrote. */
  ofService: number[]
  nths: number[]
  skipped: number
  limit: number
}

const readLogHits = query<Wanted, LoggedHit>('read-log-hits')

/**
 * Reads hits, the newest first, then those with the highest ids.
 * @param keys the newest first
 * @param page which of them; by default all
 */
export async function readHitsByKey(
  reads: Db,
  siteNo: number,
  { at, sessionNos, isService, nth }: HitKeys,
  page: Pick<Wanted, 'skipped' | 'limit'> = { skipped: 0, limit: at.length },
): Promise<LoggedHit[]> {
  if (at.length === 0) return []
  return readLogHits(reads, {
    siteNo,
    times: Array.from(at, time => new Date(time)),
    sessionNos: Array.from(sessionNos),
    ofService: Array.from(isService),
    nths: Array.from(nth),
    ...page,
    ...stretchesOf(at),
  })
}
