import type { Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { addItems, type Erasure, itemsOf } from './items.ts'

/** Occurrences that were stored after the walk had passed are nearly always of these days. */
const selectRecent = query<
  { siteNo: number; errorIds: string[]; since: Date },
  { errorId: string; name: string; at: Date }
>(
  'select-recent-occurrences',
  `select error_id as "errorId", name, min(at) as at
  from events
  where site_no = :siteNo::int and type = 'error' and error_id = any(:errorIds::uuid[]) and at >= :since::timestamptz
  group by error_id, name`,
)

/** Numbers of days without details may still have them. */
const deleteGroups = query<{ siteNo: number; errorIds: string[] }>(
  'delete-erased-errors',
  `delete from error_groups
  where site_no = :siteNo and error_id = any(:errorIds::uuid[])
    and exists (select 1 from sites where sites.site_no = :siteNo and details_from is null)`,
)

const selectGroups = query<{ siteNo: number; errorIds: string[] }, { errorId: string; name: string }>(
  'select-named-errors',
  `select error_id as "errorId", name
  from error_groups
  where site_no = :siteNo and error_id = any(:errorIds::uuid[])`,
)

const renameGroup = query<{ siteNo: number; errorId: string; name: string }>(
  'rename-error',
  'update error_groups set name = :name where site_no = :siteNo and error_id = :errorId',
)

/**
 * Deletes the errors that only the person had. One that others have too gets the name of its first occurrence that has a name, if
 * its present name came from the person alone.
 */
export async function settleErrors(tx: Transaction, erasure: Erasure, since: Date): Promise<void> {
  const { siteNo } = erasure
  const errorIds = await itemsOf(tx, erasure, 'error')
  if (errorIds.length === 0) return
  const recent = await selectRecent(tx, { siteNo, errorIds, since })
  const asItem = recent.map(({ errorId, name, at }) => JSON.stringify([errorId, at.toISOString(), name]))
  await addItems(tx, erasure, 'error_name', asItem)
  /** Names in order of their first occurrence, by error. */
  const names = new Map<string, string[]>()
  for (const item of (await itemsOf(tx, erasure, 'error_name')).toSorted(byTime)) {
    const [errorId, , name] = JSON.parse(item) as [string, string, string]
    names.set(errorId, [...(names.get(errorId) ?? []), name])
  }
  await deleteGroups(tx, { siteNo, errorIds: errorIds.filter(id => !names.has(id)) })
  for (const { errorId, name } of await selectGroups(tx, { siteNo, errorIds: [...names.keys()] })) {
    const others = names.get(errorId)!
    if (others.includes(name)) continue
    await renameGroup(tx, { siteNo, errorId, name: others.find(other => other !== 'Error') ?? 'Error' })
  }
}

const timeOf = (item: string): string => (JSON.parse(item) as [string, string, string])[1]
const byTime = (a: string, b: string) => (timeOf(a) < timeOf(b) ? -1 : 1)
