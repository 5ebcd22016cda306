import { query } from '../../db/query.ts'

export interface DueDay {
  siteNo: number
  siteId: string
  /** Local date of the day, `Y-m-d`. */
  day: string
  startsAt: Date
  endsAt: Date
  version: string
}

/**
 * The earliest day that is over, rolled up, and not exported in its present state. Days whose details are gone stay as they were exported,
 * and days without hits have no file, unless they had hits before.
 */
export const findDayToExport = query<{ endedBefore: Date; siteNo: number | null }, DueDay>(
  'find-day-to-export',
)

interface Written {
  siteNo: number
  startsAt: Date
  endsAt: Date
  version: string
  hits: number
  bytes: number
  now: Date
}

export const noteExportedDay = query<Written>(
  'note-exported-day',
  `insert into exported_days (site_no, starts_at, ends_at, version, hits, bytes, exported_at)
  values (
    :siteNo::int,
    :startsAt::timestamptz,
    :endsAt::timestamptz,
    :version::uuid,
    :hits::bigint,
    :bytes::bigint,
    :now::timestamptz
  )
  on conflict (site_no, starts_at, ends_at) do update
  set version = excluded.version, hits = excluded.hits, bytes = excluded.bytes, exported_at = excluded.exported_at`,
)
