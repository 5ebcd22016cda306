import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { newsOf } from '../../storage/events/announcements.ts'
import type { Lookup } from './fetch-objects.ts'

// Lookups of objects that the processor's events omit. Each waits as a row of `processor_facts` until it has its answer.

/** An object that the processor does not have is unlikely to appear soon: an event reports a new coupon with an old id. */
const MISSING_S = 3600
/** Without this pause, every event of the site would send requests to a processor that is down. */
const FAILED_S = 60
/** Stripe waits for the response to its event, so one event makes at most 20 lookups. The next event makes the others. */
const MOST_AT_ONCE = 20

/**
 * A new lookup is due at once. An existing one stays unchanged, unless it was made for another event than this one, or its answer
 * becomes news.
 */
const upsertLookup = query<{
  siteNo: number
  of: string
  id: string
  eventId: string | null
  eventAt: number | null
  isNews: boolean
}>('upsert-lookup')

/** `eventId` and `eventAt` are null for coupons and prices. */
const selectLookups = query<
  { siteNo: number; wantedIds: string[]; limit: number },
  { id: string; of: Lookup['of']; eventId: string | null; eventAt: number | null; isNews: boolean }
>(
  'select-lookups',
  `select
    object_id as id, body ->> 'of' as of, body ->> 'eventId' as "eventId", (body ->> 'eventAt')::bigint as "eventAt",
    coalesce((body ->> 'isNews')::boolean, true) as "isNews"
  from processor_facts
  where
    site_no = :siteNo
    and kind = 'lookup'
    and (at <= now() or (object_id = any(:wantedIds::text[]) and not (body ->> 'isMissing')::boolean))
  order by object_id = any(:wantedIds::text[]) desc, at, object_id
  limit :limit`,
)

const postponeLookups = query<{
  siteNo: number
  ids: readonly string[]
  isMissing: boolean
  seconds: number
}>(
  'postpone-lookups',
  `update processor_facts
  set at = now() + make_interval(secs => :seconds::int), body = body || jsonb_build_object('isMissing', :isMissing::boolean)
  where site_no = :siteNo and kind = 'lookup' and object_id = any(:ids::text[])`,
)

/** Deletes a lookup that has its answer. */
export const deleteLookup = query<{ siteNo: number; objectId: string }>(
  'delete-lookup',
  `delete from processor_facts where site_no = :siteNo and kind = 'lookup' and object_id = :objectId`,
)

/** Stores the lookups that an event or an import needs, in its transaction. Their answers are news if those of the transaction are. */
export async function recordLookups(tx: Transaction, siteNo: number, needed: Lookup[]): Promise<void> {
  const isNews = newsOf(tx) !== undefined
  for (const lookup of needed)
    await upsertLookup(tx, { eventId: null, eventAt: null, ...lookup, siteNo, isNews })
}

/** A lookup to make now. */
export type DueLookup = Lookup & {
  /** Whether what its answer changes is announced; not of a lookup that only an import needs. */
  isNews: boolean
}

/**
 * Returns the lookups to make now: those that failed some time ago, and those that an earlier failure prevented.
 * @param wanted lookups to make even if they failed a moment ago, unless the processor does not have the object
 */
export async function selectDue(db: Queryable, siteNo: number, wanted: Lookup[]): Promise<DueLookup[]> {
  const wantedIds = wanted.map(({ id }) => id)
  const due = await selectLookups(db, { siteNo, wantedIds, limit: MOST_AT_ONCE })
  return due as DueLookup[]
}

/** Schedules the next attempt of lookups without an answer. */
export async function postpone(
  db: Queryable,
  siteNo: number,
  ids: string[],
  isMissing: boolean,
): Promise<void> {
  const seconds = isMissing ? MISSING_S : FAILED_S
  if (ids.length > 0) await postponeLookups(db, { siteNo, ids, isMissing, seconds })
}
