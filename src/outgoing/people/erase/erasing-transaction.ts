import { lockPartitions } from '../../../ingestion/store/store.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { allowColumnstoreWrites } from '../../../storage/rollups/columnstore.ts'

/** Blocks the deletion of the site until the transaction ends; no row when it is deleted. */
const shareSite = query<{ siteNo: number }, { siteNo: number }>(
  'share-live-site',
  'select site_no as "siteNo" from sites where site_no = :siteNo and deleted_at is null for share',
)

/**
 * Runs a transaction that deletes or changes hits, sessions or visitors. No hits are stored meanwhile: a visitor's hits may be in
 * any partition, and storing would write a session again that it has read before.
 * @returns undefined for a deleted site, whose rows are the purge's
 */
export async function inErasingTransaction<Result>(
  db: Db,
  siteNo: number,
  run: (tx: Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  return (await db.begin(async tx => {
    await lockPartitions(tx, 'all')
    const [site] = await shareSite(tx, { siteNo })
    if (!site) return undefined
    await allowColumnstoreWrites(tx)
    return run(tx)
  })) as Result | undefined
}
