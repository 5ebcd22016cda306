import type { Queryable } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'

const lockSiteRow = query<{ siteNo: number }, { siteNo: number }>(
  'lock-site',
  'select site_no as "siteNo" from sites where site_no = :siteNo and deleted_at is null for no key update',
)

/**
 * Makes transactions that add something to the site run one after the other, so that its limits hold.
 * @throws AppError `not_found` when the site was deleted meanwhile
 */
export async function lockSite(transaction: Queryable, { siteNo }: { siteNo: number }): Promise<void> {
  const [site] = await lockSiteRow(transaction, { siteNo })
  if (!site) throw new AppError('not_found', 'No such site')
}
