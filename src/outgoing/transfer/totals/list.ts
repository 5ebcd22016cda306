import { z } from 'zod'
import type { Audit } from '../../../access/audit/audit.ts'
import { isUuid } from '../../../access/sites/domain.ts'
import type { SiteRecord } from '../../../access/sites/site-schema.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import { count, flag, label, timestamp, uuid } from '../../../platform/schema/fields.ts'
import type { Services } from '../../../platform/services.ts'
import { PRODUCTS } from '../../../stats/imported/families.ts'
import { hide } from './store.ts'

/** @see docs/api.md "Imported totals" */
export const TotalsImportItem = z
  .object({
    id: uuid('Names it when it is removed.'),
    format: label('Format of the file.', 'plausible-totals'),
    source: label('The product that counted.', 'Plausible'),
    file: label('Name of the file.', 'example_com_20240601.zip'),
    from: z.string().nullable().meta({ format: 'date', description: 'First day; null until it is read.' }),
    to: z.string().nullable().meta({ format: 'date', description: 'Last day, included.' }),
    rows: count('Stored rows: days by combinations of values.', 41_213),
    is_ready: flag('Whether reads use it. False while it runs, and when it was cut off.', true),
    imported_at: timestamp('When it began.'),
  })
  .meta({ id: 'TotalsImport' })
type TotalsImportItem = z.infer<typeof TotalsImportItem>

interface Row extends Omit<TotalsImportItem, 'source' | 'imported_at'> {
  importNo: number
  importedAt: Date
}

const listImports = query<{ siteNo: number; id: string | null }, Row>(
  'list-totals-imports',
  `select
    import_no as "importNo",
    id,
    format,
    file_name as file,
    (min(from_day) filter (where row_count > 0))::text as "from",
    (max(to_day) filter (where row_count > 0))::text as "to",
    coalesce(sum(row_count), 0)::int as rows,
    is_ready,
    imported_at as "importedAt"
  from totals_imports
  left join totals_families using (site_no, import_no)
  where site_no = :siteNo::int and removed_at is null and (:id::uuid is null or id = :id::uuid)
  group by site_no, import_no
  order by import_no desc`,
)

const present = ({ importNo: _importNo, importedAt, ...row }: Row): TotalsImportItem => ({
  ...row,
  source: PRODUCTS[row.format] ?? row.format,
  imported_at: importedAt.toISOString(),
})

type Site = Pick<SiteRecord, 'siteNo' | 'id' | 'domain'>

/** Returns the imports of totals of a site, the newest first. */
export async function listTotals(
  { db }: Pick<Services, 'db'>,
  { siteNo }: Pick<Site, 'siteNo'>,
): Promise<TotalsImportItem[]> {
  return (await listImports(db, { siteNo, id: null })).map(present)
}

/**
 * Removes all that an import brought: no read uses it any more, and its rows are deleted in the background.
 * @throws AppError `not_found`
 */
export async function undoTotals(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  { siteNo, id: siteId, domain }: Site,
  id: string,
): Promise<void> {
  const { importNo, file } = await findImport(db, siteNo, id)
  await db.begin(async tx => {
    await hide(tx, { siteNo, importNo })
    await audit(tx, {
      action: 'totals.undo',
      object: { type: 'site', id: siteId },
      details: { domain, import: id, file },
    })
  })
}

/** @throws AppError `not_found` */
export async function findImport(
  db: Db,
  siteNo: number,
  id: string,
): Promise<{ importNo: number; file: string }> {
  const [row] = isUuid(id) ? await listImports(db, { siteNo, id }) : []
  if (!row) throw new AppError('not_found', 'No such import of totals')
  return row
}
