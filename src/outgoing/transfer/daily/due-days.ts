import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { formatDay, localDay } from '../../../platform/time/local-time.ts'

export interface DueDay {
  siteNo: number
  siteId: string
  /** Local date of the day, `Y-m-d`. */
  day: string
  /** Zone of the site now. */
  timezone: string
  startsAt: Date
  endsAt: Date
  version: string
  /** Whether its file is one of an earlier time zone, and no day has its date any more. */
  isGone: boolean
}

interface Asked {
  /** Null: of every site. */
  siteNo: number | null
  /** A JSON array of objects with `siteNo` and `startsAt`. */
  failed: string
}

/**
 * The earliest day that is rolled up and not exported in its present state. Days whose details are gone stay as they were exported,
 * and days without hits have no file, unless they had hits before.
 */
const findDayToExport = query<Asked, Omit<DueDay, 'day' | 'isGone'>>('find-day-to-export')

const findFileToEmpty = query<Asked, Omit<DueDay, 'isGone'>>('find-file-to-empty')

/** Returns the next day to export; after all of them, the next file of a date that no day has any more. */
export async function findDueDay(db: Db, asked: Asked): Promise<DueDay | undefined> {
  const [day] = await findDayToExport(db, asked)
  // The database may know other rules of the zone than those that made the day.
  if (day) return { ...day, day: formatDay(localDay(day.timezone, day.startsAt.getTime())), isGone: false }
  const [file] = await findFileToEmpty(db, asked)
  return file && { ...file, isGone: true }
}

interface Written {
  siteNo: number
  day: string
  timezone: string
  startsAt: Date
  endsAt: Date
  version: string
  hits: number
  bytes: number
  now: Date
}

export const noteExportedDay = query<Written>(
  'note-exported-day',
  `insert into exported_days (site_no, day, timezone, starts_at, ends_at, version, hits, bytes, exported_at)
  values (
    :siteNo::int, :day::text::date, :timezone::text, :startsAt::timestamptz, :endsAt::timestamptz,
    :version::uuid, :hits::bigint, :bytes::bigint, :now::timestamptz
  )
  on conflict (site_no, day) do update
  set timezone = excluded.timezone, starts_at = excluded.starts_at, ends_at = excluded.ends_at,
    version = excluded.version, hits = excluded.hits, bytes = excluded.bytes, exported_at = excluded.exported_at`,
)
