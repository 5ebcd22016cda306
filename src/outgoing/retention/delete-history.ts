import { z } from 'zod'
import type { Audit } from '../../access/audit/audit.ts'
import type { SiteRecord } from '../../access/sites/site-schema.ts'
import { ADVISORY_LOCKS } from '../../platform/db/advisory-locks.ts'
import type { Db } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError, invalidField } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { dayOf, startOfDay } from '../../platform/time/local-time.ts'
import { CalendarDate } from '../../platform/time/range.ts'
import { lockRollups } from '../../storage/rollups/daily/roll-up-day.ts'
import { countDirty, deleteKeptBuckets, MAX_MARKS } from '../../storage/rollups/delete-rows.ts'

export const DeleteHistory = z.object({
  before: CalendarDate.meta({
    description: 'First day that stays; at the latest that of `details_from`.',
    example: '2026-03-01',
  }),
})

/** Days of one transaction. */
const DAYS = 20

const lockDetails = query<{ siteNo: number }, { timezone: string; detailsFrom: Date | null }>(
  'lock-site-details',
  `select timezone, details_from as "detailsFrom"
  from sites
  where site_no = :siteNo and deleted_at is null
  for no key update`,
)

const setHistoryFrom = query<{ siteNo: number; historyFrom: Date }>(
  'set-history-from',
  `update sites
  set history_from = greatest(history_from, :historyFrom), first_event_at = greatest(first_event_at, :historyFrom)
  where site_no = :siteNo`,
)

const selectSites = query<void, { siteNo: number; historyFrom: Date }>(
  'select-sites-with-old-history',
  `select site_no as "siteNo", history_from as "historyFrom"
  from sites
  where deleted_at is null and history_from is not null and (
    exists (
      select from daily_rollups where daily_rollups.site_no = sites.site_no and starts_at < history_from
    ) or exists (
      select from kept_hit_buckets where kept_hit_buckets.site_no = sites.site_no and bucket < history_from
    ) or exists (
      select from kept_session_buckets where kept_session_buckets.site_no = sites.site_no and bucket < history_from
    )
  )
  order by site_no`,
)

/** Days that begin before, the oldest first. */
const deleteDays = query<{ siteNo: number; before: Date; limit: number }, { start: Date }>(
  'delete-old-rollups',
  `with old as materialized (
    select starts_at, ends_at
    from daily_rollups
    where site_no = :siteNo::int and starts_at < :before::timestamptz
    order by starts_at
    limit :limit::int
  ),
  gone_values as (
    delete from daily_value_rollups
    where site_no = :siteNo::int and (starts_at, ends_at) in (select starts_at, ends_at from old)
  )
  delete from daily_rollups
  where site_no = :siteNo::int and (starts_at, ends_at) in (select starts_at, ends_at from old)
  returning starts_at as start`,
)

/**
 * Deletes the numbers of the days of a site before a date. The site begins there at once (`range=all`); the numbers are removed
 * in the background. Only days whose details are gone have no other source: the others would be counted again from rows.
 * @param options.before a calendar date in the time zone of the site
 * @throws AppError `validation_failed` for a date after `details_from`, or when no details were dropped; `not_found` when the
 * site was deleted meanwhile
 */
export async function deleteHistory(
  { db, audit }: Pick<Services, 'db'> & { audit: Audit },
  { siteNo, id, domain }: Pick<SiteRecord, 'siteNo' | 'id' | 'domain'>,
  { before }: { before: string },
): Promise<void> {
  await db.begin(async tx => {
    const [site] = await lockDetails(tx, { siteNo })
    if (!site) throw new AppError('not_found', 'No such site')
    const { timezone, detailsFrom } = site
    if (!detailsFrom) {
      throw invalidField(
        'before',
        'No details of the site were dropped yet: only the numbers of days without details can be deleted',
      )
    }
    const historyFrom = new Date(startOfDay(timezone, dayOf(before)))
    if (historyFrom > detailsFrom) {
      throw invalidField(
        'before',
        `must not be later than ${detailsFrom.toISOString()}, from when on the site has details`,
      )
    }
    await setHistoryFrom(tx, { siteNo, historyFrom })
    await audit(tx, { action: 'history.delete', object: { type: 'site', id }, details: { domain, before } })
  })
}

/**
 * Removes the rollups and kept buckets of days before the `history_from` of their sites. Pauses while many buckets wait for a
 * refresh. Safe to stop at any point.
 * @returns true when time ran out
 */
export async function removeOldHistory(db: Db, hasTime: () => boolean): Promise<boolean> {
  for (const { siteNo, historyFrom } of await selectSites(db)) {
    for (let isMore = true; isMore; ) {
      if (!hasTime()) return true
      const [marks] = await countDirty(db, { siteNo })
      if (marks!.all > MAX_MARKS) return false
      isMore = await db.begin(async tx => {
        await lockRollups(tx, { lock: ADVISORY_LOCKS.dailyRollups, siteNo })
        const days = await deleteDays(tx, { siteNo, before: historyFrom, limit: DAYS })
        const isCut = await deleteKeptBuckets(tx, siteNo, historyFrom)
        return isCut || days.length === DAYS
      })
    }
  }
  return false
}
