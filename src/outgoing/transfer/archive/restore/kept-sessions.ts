import type { Db, Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { stampChanges } from '../../../../storage/columns/stamps.ts'
import { allowColumnstoreWrites } from '../../../../storage/rollups/columnstore.ts'
import type { OpenedFile } from '../open-archive.ts'
import { lineBlocks } from './line-blocks.ts'
import type { Rows } from './restore-rows.ts'

const insertKeptSessions = query<Rows, { at: Date }>('restore-kept-sessions')

const restoreFirstVisits = query<Rows>('restore-first-visits')
const deleteGoneSessions = query<Rows, { at: Date }>('delete-gone-sessions')

const stampStarts = (tx: Transaction, siteNo: number, sessions: { at: Date }[]) =>
  stampChanges(
    tx,
    'sessions',
    sessions.map(({ at }) => ({ siteNo, at: at.getTime() })),
  )

/**
 * Restores the rows of sessions before `details_from` that money is attributed to, also those that are gone where the archive was written:
 * money and its events find their numbers and values by them.
 */
export async function beginKeptSessions(db: Db, siteNo: number, files: OpenedFile[]): Promise<void> {
  for await (const rows of lineBlocks(files)) {
    await db.begin(async tx => {
      await allowColumnstoreWrites(tx)
      await stampStarts(tx, siteNo, await insertKeptSessions(tx, { siteNo, rows }))
    })
  }
}

/** Once the money is there: restores first visits of customers, and deletes what is gone where the archive was written. */
export async function finishKeptSessions(
  db: Db,
  siteNo: number,
  { keptSessions, firstVisits }: { keptSessions: OpenedFile[]; firstVisits: OpenedFile[] },
): Promise<void> {
  for await (const rows of lineBlocks(firstVisits)) await restoreFirstVisits(db, { siteNo, rows })
  for await (const rows of lineBlocks(keptSessions)) {
    await db.begin(async tx => {
      await allowColumnstoreWrites(tx)
      await stampStarts(tx, siteNo, await deleteGoneSessions(tx, { siteNo, rows }))
    })
  }
}
