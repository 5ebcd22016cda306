import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { limitTime } from '../../../platform/lib/time-budget.ts'
import { refusal } from '../read/limits.ts'

const insertImport = query<
  { siteNo: number; format: string; fileName: string; fingerprint: string; now: Date; userId: string | null },
  { importNo: number; id: string }
>(
  'insert-totals-import',
  `insert into totals_imports (site_no, format, file_name, fingerprint, imported_at, imported_by)
  values (:siteNo::int, :format::text, :fileName::text, :fingerprint::text, :now::timestamptz, :userId::uuid)
  returning import_no as "importNo", id`,
)

const setReady = query<{ siteNo: number; importNo: number }, { importNo: number }>(
  'set-totals-ready',
  `update totals_imports
  set is_ready = true
  where site_no = :siteNo::int and import_no = :importNo::bigint and removed_at is null
  returning import_no as "importNo"`,
)

const selectSame = query<
  { siteNo: number; format: string; fingerprint: string; importNo: number },
  { importNo: number }
>(
  'list-same-totals-imports',
  `select import_no as "importNo"
  from totals_imports
  where site_no = :siteNo::int and format = :format::text and fingerprint = :fingerprint::text
    and import_no < :importNo::bigint`,
)

const deleteDays = query<{ siteNo: number; importNo: number; limit: number }, { gone: boolean }>(
  'delete-totals-days',
  `delete from totals_days
  where ctid = any(array(
    select totals_days.ctid
    from totals_days
    join totals_families using (site_no, family_no)
    where site_no = :siteNo::int and import_no = :importNo::bigint
    limit :limit::int
  ))
  returning true as gone`,
)

const hideImport = query<{ siteNo: number; importNo: number }>(
  'hide-totals-import',
  `update totals_imports
  set is_ready = false, removed_at = coalesce(removed_at, now())
  where site_no = :siteNo::int and import_no = :importNo::bigint`,
)

const selectOfFormat = query<{ siteNo: number; format: string }, ImportKey>(
  'list-totals-imports-of-format',
  `select site_no as "siteNo", import_no as "importNo"
  from totals_imports
  where site_no = :siteNo::int and format = :format::text
  order by import_no`,
)

/** Those that were removed, and those that were cut off. */
const selectGone = query<{ before: Date }, { siteNo: number; importNo: number }>(
  'list-gone-totals-imports',
  `select site_no as "siteNo", import_no as "importNo"
  from totals_imports
  where removed_at is not null or (not is_ready and imported_at < :before::timestamptz)
  order by site_no, import_no`,
)

const deleteImport = query<{ siteNo: number; importNo: number }>(
  'delete-totals-import',
  `delete from totals_imports where site_no = :siteNo::int and import_no = :importNo::bigint`,
)

export interface NewImport {
  siteNo: number
  format: string
  fileName: string
  fingerprint: string
  now: Date
  userId: string | null
}

export interface StartedImport {
  siteNo: number
  importNo: number
  id: string
}

/** Another import of the same file, or an undo, has removed it: rows that came later would stay without an import. */
export const wasRemoved = () => refusal('the import was removed while it ran')

export async function startImport(db: Db, given: NewImport): Promise<StartedImport> {
  const [row] = await insertImport(db, given)
  return { siteNo: given.siteNo, ...row! }
}

/**
 * Makes the rows of an import count, and removes those of earlier imports of the same file.
 * @throws AppError `validation_failed` when it was removed meanwhile
 */
export async function finishImport(db: Db, started: StartedImport, given: NewImport): Promise<void> {
  const { siteNo, format, fingerprint } = given
  const { importNo } = started
  const same = await selectSame(db, { siteNo, format, fingerprint, importNo })
  await db.begin(async tx => {
    const [ready] = await setReady(tx, { siteNo, importNo })
    if (!ready) throw wasRemoved()
    for (const earlier of same) await hideImport(tx, { siteNo, importNo: earlier.importNo })
  })
  const hasTime = limitTime(REMOVAL_MS)
  for (const earlier of same) await removeImport(db, { siteNo, importNo: earlier.importNo }, hasTime)
}

/** Time for removing rows at the end of an import: other imports wait meanwhile. `removeGone` removes the rest. */
export const REMOVAL_MS = 500

/** Rows of one statement, so that other statements run in between. */
export const ROWS_AT_ONCE = 5_000

export interface ImportKey {
  siteNo: number
  importNo: number
}

/**
 * Removes an import. Its rows count no more from the beginning on; safe to call again after it was cut off.
 * @returns true when time ran out
 */
export async function removeImport(
  db: Db,
  { siteNo, importNo }: ImportKey,
  hasTime: () => boolean = () => true,
): Promise<boolean> {
  await hideImport(db, { siteNo, importNo })
  for (;;) {
    if (!hasTime()) return true
    const gone = await deleteDays(db, { siteNo, importNo, limit: ROWS_AT_ONCE })
    if (gone.length < ROWS_AT_ONCE) break
  }
  await deleteImport(db, { siteNo, importNo })
  return false
}

/** Makes the rows of an import count no more; `removeGone` deletes them. */
export const hide = (tx: Transaction, { siteNo, importNo }: ImportKey) => hideImport(tx, { siteNo, importNo })

/**
 * Removes all imports of a format from a site. None of them counts from the beginning on.
 * @returns true when time ran out
 */
export async function removeFormat(
  db: Db,
  { siteNo, format }: { siteNo: number; format: string },
  hasTime: () => boolean,
): Promise<boolean> {
  const found = await selectOfFormat(db, { siteNo, format })
  await db.begin(async tx => {
    for (const key of found) await hideImport(tx, key)
  })
  for (const key of found) if (await removeImport(db, key, hasTime)) return true
  return false
}

/**
 * Deletes what was removed, and imports that were cut off a day ago. Safe to stop at any point.
 * @returns true when time ran out
 */
export async function removeGone(db: Db, now: Date, hasTime: () => boolean): Promise<boolean> {
  const gone = await selectGone(db, { before: new Date(now.getTime() - DAY_MS) })
  for (const key of gone) if (await removeImport(db, key, hasTime)) return true
  return false
}
