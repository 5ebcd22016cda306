import type { Audit } from '../../access/audit/audit.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { deleteReplay, lockReplays } from './delete-replays.ts'

/**
 * Deletes the replay of a session for good; the session stays, and what its pages record later is kept again.
 * @param sessionNo undefined for an id that names no session
 * @throws AppError `not_found` for a session without a replay
 */
export async function removeReplay(
  { db, audit }: { db: Db; audit: Audit },
  site: { siteNo: number; id: string },
  session: string,
  sessionNo: number | undefined,
): Promise<void> {
  await db.begin(async tx => {
    const { siteNo } = site
    await lockReplays(tx, siteNo)
    const isGone = sessionNo !== undefined && (await deleteReplay(tx, { siteNo, sessionNo }))
    if (!isGone) throw new AppError('not_found', 'No such replay')
    await audit(tx, {
      action: 'replay.delete',
      object: { type: 'session', id: session },
      details: { site_id: site.id },
    })
  })
}
