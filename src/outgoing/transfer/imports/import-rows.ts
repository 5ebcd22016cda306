import { query } from '../../../platform/db/query.ts'
import type { ImportState } from './states.ts'

/** Database row of an import in a list. */
export interface ImportItemRow {
  id: string
  siteNo: number
  kind: string
  format: string
  website: string | null
  timezone: string
  fileName: string
  bytes: number
  state: ImportState
  hasOutcome: boolean
  progress: { part: number; note: string } | null
  error: string | null
  hasWritten: boolean
  createdBy: string | null
  createdAt: Date
  finishedAt: Date | null
  /** Numbers of the parts that are stored. */
  parts: number[]
}

/** Database row of an import. */
export interface ImportRow extends ImportItemRow {
  checked: object | null
  result: object | null
}

const ITEM_COLUMNS = `
  imports.id, imports.site_no as "siteNo", kind, format, website, imports.timezone, file_name as "fileName", bytes, state,
  checked is not null or result is not null as "hasOutcome", progress, error, has_written as "hasWritten", imports.created_at as "createdAt",
  finished_at as "finishedAt",
  (
    select coalesce(logins.email, users.email)
    from users left join logins on logins.id = users.login_id
    where users.id = imports.created_by
  ) as "createdBy",
  array(select number from import_parts where import_id = imports.id order by number) as parts`
const COLUMNS = `${ITEM_COLUMNS}, checked, result`

export const insertImport = query<
  {
    id: string
    siteNo: number
    kind: string
    format: string
    website: string | null
    timezone: string
    fileName: string
    bytes: number
    state: string
    createdBy: string | null
    now: Date
  },
  ImportRow
>(
  'insert-import',
  `insert into imports (id, site_no, kind, format, website, timezone, file_name, bytes, state, created_by, created_at)
  values (:id, :siteNo, :kind, :format, :website, :timezone, :fileName, :bytes, :state, :createdBy, :now)
  returning ${COLUMNS}`,
)

export const findImportRow = query<{ siteNo: number; id: string }, ImportRow>(
  'find-import',
  `select ${COLUMNS} from imports where site_no = :siteNo and id = :id`,
)

export const lockImport = query<{ siteNo: number; id: string }, ImportRow>(
  'lock-import',
  `select ${COLUMNS} from imports where site_no = :siteNo and id = :id for update of imports`,
)

export const selectImports = query<{ siteNo: number; limit: number; offset: number }, ImportItemRow>(
  'list-imports',
  `select ${ITEM_COLUMNS}
  from imports
  where site_no = :siteNo
  order by created_at desc, id
  limit :limit::bigint
  offset :offset::bigint`,
)

export const countImports = query<{ siteNo: number }, { count: number }>(
  'count-imports',
  'select count(*)::int as count from imports where site_no = :siteNo',
)

/** Bytes of a team's files that are not imported yet, whether their parts were sent or not. */
export const sumOpenBytes = query<{ teamId: string }, { bytes: number }>(
  'sum-open-imports',
  `select coalesce(sum(bytes), 0)::bigint as bytes
  from imports join sites using (site_no)
  where team_id = :teamId
    and (
      state in ('uploading', 'checking', 'checked', 'importing')
      or state = 'failed' and exists (select from import_parts where import_id = imports.id)
    )`,
)

/**
 * Makes an import a task for the ingest processes. A claim that still runs stays: who holds it may still write, until it is released or
 * over.
 */
export const requestTask = query<{ id: string; state: string; now: Date }, ImportRow>(
  'request-import-task',
  `update imports
  set
    state = :state, requested_at = :now, finished_at = null, progress = null, error = null,
    claimed_by = case when claimed_until >= :now then claimed_by end,
    claimed_until = case when claimed_until >= :now then claimed_until end,
    failures = 0
  where id = :id
  returning ${COLUMNS}`,
)

/** Ends an import without a task; a process that works on it finds out when it prolongs its claim. */
export const endImport = query<{ id: string; state: string; now: Date }, ImportRow>(
  'end-import',
  `update imports
  set state = :state, finished_at = :now, progress = null
  where id = :id
  returning ${COLUMNS}`,
)

export const deleteParts = query<{ id: string }>(
  'delete-import-parts',
  'delete from import_parts where import_id = :id',
)

export const insertPart = query<{ id: string; siteNo: number; number: number; content: Buffer }>(
  'insert-import-part',
  `insert into import_parts (import_id, number, site_no, content)
  values (:id, :number, :siteNo, :content)
  on conflict (import_id, number) do update set content = excluded.content`,
)

/** Bytes of a part in [start, start + length); `start` counts from 0. */
export const readPart = query<
  { id: string; number: number; start: number; length: number },
  { content: Buffer }
>(
  'read-import-part',
  `select substring(content from :start::int + 1 for :length::int) as content
  from import_parts
  where import_id = :id::uuid and number = :number::int`,
)
