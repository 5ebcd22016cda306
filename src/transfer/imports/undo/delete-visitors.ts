import type { Db } from '../../../db/connect.ts'
import { query } from '../../../db/query.ts'
import { inErasingTransaction } from '../../../people/erase/erasing-transaction.ts'
import { updateFirstEvent } from '../../../people/erase/settle-visitors.ts'
import type { UndoTask } from '../import-kind.ts'

/** Visitors of one transaction: no hits are stored meanwhile. */
const SLICE = 2_000

const deleteRows = query<{ siteNo: number; format: string; limit: number }, { visitorNo: number }>(
  'delete-imported-visitors',
  `delete from visitors
  where visitor_no = any(array(
    select visitor_no
    from visitors
    where site_no = :siteNo::int and imported_as = :format::text
    order by visitor_no
    limit :limit::int
  ))
  returning visitor_no as "visitorNo"`,
)

const deleteIdentities = query<{ siteNo: number; format: string }>(
  'delete-imported-identities',
  'delete from identities where site_no = :siteNo and imported_as = :format',
)

// Numbers of days without details may still have errors whose occurrences are gone.

const deleteErrors = query<{ siteNo: number }>(
  'delete-errors-without-occurrence',
  `delete from error_groups
  where site_no = :siteNo::int
    and exists (select from sites where sites.site_no = :siteNo::int and details_from is null)
    and not exists (
      select from events
      where events.site_no = :siteNo::int and events.error_id = error_groups.error_id and type = 'error'
    )`,
)

/** An error has the name of its first occurrence that has one. */
const renameErrors = query<{ siteNo: number }>(
  'rename-errors-by-occurrence',
  `update error_groups
  set name = coalesce(
    (
      select name from events
      where events.site_no = :siteNo::int and events.error_id = error_groups.error_id and type = 'error' and name <> 'Error'
      order by at
      limit 1
    ),
    'Error'
  )
  where site_no = :siteNo::int
    and exists (select from sites where sites.site_no = :siteNo::int and details_from is null)
    and not exists (
      select from events
      where events.site_no = :siteNo::int and events.error_id = error_groups.error_id and type = 'error'
        and events.name = error_groups.name
    )`,
)

/** Deletes the visitors of the import, who have neither sessions nor hits any more, and what they alone had. */
export async function deleteVisitors(db: Db, { siteNo, format, signal }: UndoTask): Promise<void> {
  for (let isMore = true; isMore; ) {
    signal?.throwIfAborted()
    const gone = await inErasingTransaction(db, siteNo, tx =>
      deleteRows(tx, { siteNo, format, limit: SLICE }),
    )
    isMore = gone?.length === SLICE
  }
  await inErasingTransaction(db, siteNo, async tx => {
    await deleteIdentities(tx, { siteNo, format })
    await deleteErrors(tx, { siteNo })
    await renameErrors(tx, { siteNo })
    await updateFirstEvent(tx, { siteNo })
  })
}
