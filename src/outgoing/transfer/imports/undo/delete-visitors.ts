import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import { inErasingTransaction } from '../../../people/erase/erasing-transaction.ts'
import { updateFirstEvent } from '../../../people/erase/settle-visitors.ts'
import type { UndoTask } from '../import-kind.ts'

/** Visitors of one transaction: no hits are stored meanwhile. */
const SLICE = 2_000

const selectSlice = query<
  { siteNo: number; format: string; after: number; limit: number },
  { visitorNo: number; sessionCount: number }
>(
  'select-imported-visitors-after',
  `select visitor_no as "visitorNo", session_count as "sessionCount"
  from visitors
  where site_no = :siteNo::int and imported_as = :format::text and visitor_no > :after::int
  order by visitor_no
  limit :limit::int`,
)

const selectVisiting = query<{ siteNo: number; visitorNos: number[] }, { visitorNo: number }>(
  'select-imported-visitors-with-sessions',
  `select distinct visitor_no as "visitorNo"
  from sessions
  where site_no = :siteNo::int and visitor_no = any(:visitorNos::int[])`,
)

const deleteRows = query<{ visitorNos: number[] }>(
  'delete-imported-visitors',
  'delete from visitors where visitor_no = any(:visitorNos::int[])',
)

const deleteIdentities = query<{ siteNo: number; format: string }>(
  'delete-imported-identities',
  'delete from identities where site_no = :siteNo and imported_as = :format',
)

/** Users whom imports of other formats know, too. */
const keepIdentities = query<{ siteNo: number; format: string }>(
  'keep-imported-identities',
  `update identities
  set imported_as = trim(both ',' from replace(',' || imported_as || ',', ',' || :format::text || ',', ','))
  where site_no = :siteNo::int and strpos(',' || imported_as || ',', ',' || :format::text || ',') > 0`,
)

// Numbers of days without details may still have errors whose occurrences are gone.

const deleteErrors = query<{ siteNo: number }>(
  'delete-errors-without-occurrence',
  `delete from error_groups
  where site_no = :siteNo::int
    and exists (select 1 from sites where sites.site_no = :siteNo::int and details_from is null)
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
    and exists (select 1 from sites where sites.site_no = :siteNo::int and details_from is null)
    and not exists (
      select from events
      where events.site_no = :siteNo::int and events.error_id = error_groups.error_id and type = 'error'
        and events.name = error_groups.name
    )`,
)

/**
 * Deletes the visitors of the import that have no session, and what they alone had.
 * @returns true when visitors are left: they have got sessions since those of the import were deleted
 */
export async function deleteVisitors(db: Db, { siteNo, format, turn }: UndoTask): Promise<boolean> {
  let isLeft = false
  for (let after: number | undefined = 0; after !== undefined; ) {
    await turn.pass()
    const slice = { siteNo, format, after, limit: SLICE }
    after = await inErasingTransaction(db, siteNo, async tx => {
      const visitors = await selectSlice(tx, slice)
      // Counts say it of nearly all of them; looking for sessions takes longer.
      const doubtful = visitors
        .filter(({ sessionCount }) => sessionCount > 0)
        .map(({ visitorNo }) => visitorNo)
      const visiting = new Set(
        doubtful.length > 0
          ? (await selectVisiting(tx, { siteNo, visitorNos: doubtful })).map(({ visitorNo }) => visitorNo)
          : [],
      )
      if (visiting.size > 0) isLeft = true
      const gone = visitors.map(({ visitorNo }) => visitorNo).filter(visitorNo => !visiting.has(visitorNo))
      await deleteRows(tx, { visitorNos: gone })
      return visitors.length === SLICE ? visitors.at(-1)!.visitorNo : undefined
    })
  }
  if (isLeft) return true
  await inErasingTransaction(db, siteNo, async tx => {
    await deleteIdentities(tx, { siteNo, format })
    await keepIdentities(tx, { siteNo, format })
    await deleteErrors(tx, { siteNo })
    await renameErrors(tx, { siteNo })
    await updateFirstEvent(tx, { siteNo })
  })
  return false
}
