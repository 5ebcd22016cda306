import type { Db } from '../../platform/db/connect.ts'
import type { EnrichedHit } from '../hit.ts'
import { lockPartitions, selectLiveSites } from './store.ts'
import { writeIdentities } from './write-visitors.ts'

/** What was known of a user at a time. */
export interface IdentityOfUser extends Pick<EnrichedHit, 'siteNo' | 'at'> {
  identity: NonNullable<EnrichedHit['identity']>
}

/**
 * Stores what is known of users of a site, without a hit. The latest time wins, so it may be repeated.
 * @throws the database error; Error when the site is deleted
 */
export async function storeIdentities(db: Db, siteNo: number, identities: IdentityOfUser[]): Promise<void> {
  if (identities.length === 0) return
  await db.begin(async tx => {
    // An erasure blocks all partitions.
    await lockPartitions(tx, 0)
    if ((await selectLiveSites(tx, { siteNos: [siteNo] })).length === 0) {
      throw new Error('the site was deleted while its hits were imported')
    }
    await writeIdentities(
      tx,
      identities.toSorted((a, b) => a.at - b.at),
    )
  })
}
