import { query } from '../../../platform/db/query.ts'
import { archiveText } from './plain-rows.ts'
import type { After, KeyedLine } from './row-statements.ts'

// Totals that other products counted. An import has its id, and a family its place among those of its import.

export const archiveTotalsImports = query<After, KeyedLine>(
  'archive-totals-imports',
  archiveText(
    'totals_imports',
    { import_no: 'bigint' },
    { without: ['import_no', 'imported_by'], where: 'is_ready and removed_at is null' },
  ),
)

export const archiveTotalsFamilies = query<After, KeyedLine>(
  'archive-totals-families',
  `select
    array[family_no::text] as key,
    (
      to_jsonb(totals_families) - array['site_no', 'import_no', 'family_no']
      || jsonb_build_object('import_id', totals_imports.id)
    )::text as line
  from totals_families
  join totals_imports using (site_no, import_no)
  where
    site_no = :siteNo::int and is_ready and removed_at is null
    and family_no > coalesce(nullif((:key::text[])[1], ''), '0')::bigint
  order by family_no
  limit :limit::int`,
)

export const archiveTotalsDays = query<After, KeyedLine>('archive-totals-days')
