import type { Db } from '../../../../platform/db/connect.ts'
import { query } from '../../../../platform/db/query.ts'
import type { SiteKind } from '../names.ts'
import type { OpenedFile } from '../open-archive.ts'
import { restoreText } from '../plain-rows.ts'
import { lineBlocks, type Rows } from './line-blocks.ts'

// Rows that hits bring along, but not wholly: they become what the archive has.

const restoreIdentities = query<Rows>(
  'restore-identities',
  restoreText('identities', {
    onConflict: `(site_no, identifier) do update set
    name = excluded.name, avatar = excluded.avatar, custom = excluded.custom, updated_at = excluded.updated_at,
    imported_as = excluded.imported_as`,
  }),
)

const restoreErrorGroups = query<Rows>(
  'restore-error-groups',
  restoreText('error_groups', {
    onConflict: `(site_no, error_id) do update set message = excluded.message, name = excluded.name`,
  }),
)

/** Imports are seen and undone as before. */
const restoreImports = query<Rows & { teamId: string }>(
  'restore-imports',
  `insert into imports
  select given.*
  from jsonb_array_elements(:rows::text::jsonb) as line
  left join users as creator on creator.team_id = :teamId::uuid and creator.email = line ->> 'created_by_email'
  cross join lateral jsonb_populate_record(
    null::imports, line || jsonb_build_object('site_no', :siteNo::int, 'created_by', creator.id)
  ) as given
  on conflict (id) do nothing`,
)

export async function restoreExactRows(
  db: Db,
  site: { siteNo: number; teamId: string },
  filesOf: (kind: SiteKind) => OpenedFile[],
): Promise<void> {
  const { siteNo } = site
  for await (const rows of lineBlocks(filesOf('identities'))) await restoreIdentities(db, { siteNo, rows })
  for await (const rows of lineBlocks(filesOf('error-groups'))) await restoreErrorGroups(db, { siteNo, rows })
  for await (const rows of lineBlocks(filesOf('imports'))) await restoreImports(db, { ...site, rows })
}
