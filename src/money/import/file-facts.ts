import type { Db } from '../../platform/db/connect.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { UNLINKED } from '../processor/event.ts'
import { inProcessorTransaction } from '../transactions.ts'
import { analyzeFacts, deriveNext, workLeft } from './derive-work.ts'
import { type ReadFact, storeFacts } from './store-facts.ts'

/** Id of the fact that a site has facts from files: reads of MRR look for it (`is-connected`, `list-sites`). */
const FROM_FILES = 'file'

const mark: ReadFact = {
  ...UNLINKED,
  eventId: FROM_FILES,
  kind: 'link',
  at: new Date(0),
  objectId: FROM_FILES,
  body: null,
}

/** Stores facts from a file, in one transaction. Facts that are known already change nothing. */
export async function storeFileFacts(db: Db, siteNo: number, facts: readonly ReadFact[]): Promise<void> {
  await inProcessorTransaction(db, siteNo, tx => storeFacts(tx, siteNo, [mark, ...facts]))
}

/**
 * Derives payments and movements from what files have brought.
 * @param options.pass awaited between two transactions. @throws to stop
 * @param options.onLeft called with the number of subscriptions and sales that are left
 */
export async function deriveFileFacts(
  services: { db: Db; log: Log },
  siteNo: number,
  { pass, onLeft }: { pass?: () => Promise<void> | undefined; onLeft?: (left: number) => void } = {},
): Promise<void> {
  await analyzeFacts(services.db)
  while (await deriveNext(services, { siteNo })) {
    await pass?.()
    onLeft?.(await workLeft(services.db, siteNo))
  }
}
