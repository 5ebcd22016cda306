import type { Transaction } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { refusal } from '../../read/limits.ts'

const findDetailsFrom = query<{ siteNo: number }, { detailsFrom: Date | null }>(
  'find-details-from',
  'select details_from as "detailsFrom" from sites where site_no = :siteNo',
)

/**
 * Refuses to go on with an undo when retention has moved past what it would delete since it was asked for.
 * @param tx holds a lock of the site, so that its `details_from` stays
 * @throws AppError `validation_failed`
 */
export async function requireDetails(tx: Transaction, siteNo: number, first: Date): Promise<void> {
  const [site] = await findDetailsFrom(tx, { siteNo })
  const detailsFrom = site?.detailsFrom
  if (detailsFrom && first < detailsFrom) throw refusal(detailsGone(detailsFrom))
}

/** Why what came before `detailsFrom` cannot be removed. */
export const detailsGone = (detailsFrom: Date) =>
  `The details of the site before ${detailsFrom.toISOString()} are gone (retention), and with them what came from the import`
