import type { Db } from '../src/db/connect.ts'
import { listDeadLetters, type Retried, retryDeadLetters } from '../src/ingestion/store/dead-letters.ts'
import type { Log } from '../src/runtime/log.ts'
import { findSiteAnywhere } from '../src/sites/find-site.ts'

/** Returns the newest dead letters in the output format of the command line. */
export async function showDeadLetters(db: Db, options: { site?: string; limit: number }): Promise<object> {
  const siteNo = await siteNoOf(db, options.site)
  const { total, letters } = await listDeadLetters(db, { siteNo, limit: options.limit })
  return {
    total,
    dead_letters: letters.map(({ id, siteId, at, reason, payload, failedAt }) => ({
      id,
      site_id: siteId,
      at,
      reason,
      failed_at: failedAt,
      payload,
    })),
  }
}

/** Sends dead letters through the pipeline again. */
export async function retryLetters(db: Db, options: { site?: string }, log: Log): Promise<Retried> {
  return retryDeadLetters(db, await siteNoOf(db, options.site), log)
}

/** Returns the number of a site; null when no site is given. */
async function siteNoOf(db: Db, site: string | undefined): Promise<number | null> {
  return site === undefined ? null : (await findSiteAnywhere(db, site)).siteNo
}
