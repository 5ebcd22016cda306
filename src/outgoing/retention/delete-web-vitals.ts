import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import { allowColumnstoreWrites } from '../../storage/rollups/columnstore.ts'

interface SiteSpan {
  siteNo: number
  start: Date
  end: Date
}

const selectFirst = query<SiteSpan, { at: Date | null }>(
  'select-first-web-vitals',
  `select min(at) as at
  from web_vitals
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)

const purgeWebVitals = query<SiteSpan>(
  'purge-web-vitals',
  `delete from web_vitals
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz`,
)

/**
 * Deletes the web vitals of a site in a time span, those of an hour in one transaction. Nothing counts them in advance, so nothing is
 * marked. Safe to stop at any point: what is left is deleted by the next run.
 * @returns false when time ran out
 */
export async function deleteWebVitals(
  db: Db,
  { siteNo, start, end }: SiteSpan,
  hasTime: () => boolean,
): Promise<boolean> {
  for (;;) {
    const [first] = await selectFirst(db, { siteNo, start, end })
    if (!first!.at) return true
    if (!hasTime()) return false
    const hour = Math.floor(first!.at.getTime() / HOUR_MS) * HOUR_MS
    await db.begin(async tx => {
      await allowColumnstoreWrites(tx)
      const until = new Date(Math.min(hour + HOUR_MS, end.getTime()))
      await purgeWebVitals(tx, { siteNo, start: new Date(Math.max(hour, start.getTime())), end: until })
    })
  }
}
