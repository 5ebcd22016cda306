import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { TimeSpan } from '../../../platform/time/range.ts'
import { unlinkServiceEvent } from '../../../storage/events/attribution.ts'
import { forgetUnusedSpellings } from '../../../storage/events/source-spellings.ts'
import { markBuckets } from '../../../storage/rollups/dirty.ts'
import { type ErasedHit, eraseHits } from './erase-hits.ts'
import { inErasingTransaction } from './erasing-transaction.ts'
import { addItems, type Erasure, itemsOf, numbersOf, type Outcome } from './items.ts'
import { walk } from './walk.ts'

/** What the walk looks for. */
interface Wanted {
  siteNo: number
  visitorNos: number[]
  sessionNos: number[]
}

/** Identify hits that no session took. */
const selectLoose = query<
  TimeSpan & { siteNo: number; visitorNos: number[]; until: Date; limit: number },
  ErasedHit
>(
  'select-erased-loose-hits',
  `select at, id, type, error_id as "errorId"
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and at < :until::timestamptz
    and visitor_no = any(:visitorNos::int[]) and session_no is null and not is_service
  order by at, id
  limit :limit`,
)

const selectServiceEvents = query<TimeSpan & Wanted, { at: Date; id: string }>(
  'select-erased-service-events',
  `select at, id
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and is_service
    and (visitor_no = any(:visitorNos::int[]) or session_no = any(:sessionNos::bigint[]))`,
)

const selectErrors = query<
  TimeSpan & { siteNo: number; errorIds: string[] },
  { errorId: string; name: string; at: Date }
>(
  'select-other-occurrences',
  `select error_id as "errorId", name, min(at) as at
  from events
  where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
    and type = 'error' and error_id = any(:errorIds::uuid[])
  group by error_id, name`,
)

const selectUsers = query<TimeSpan & { siteNo: number; userIds: string[] }, { userId: string }>(
  'select-other-users',
  `select distinct user_id as "userId"
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
    and user_id = any(:userIds::text[])`,
)

/**
 * Walks over all rows of the site once: deletes hits of the person that belong to no session, takes the person out of events that
 * the service wrote, and finds which errors and users of the erased sessions occur elsewhere.
 * @param mostHits maximum hits of one transaction
 */
export async function eraseRest(
  db: Db,
  erasure: Erasure,
  hasTime: () => boolean,
  mostHits: number,
): Promise<Outcome> {
  const { siteNo, requestedAt: until } = erasure
  const visitorNos = await numbersOf(db, erasure, 'gone')
  const sessionNos = await numbersOf(db, erasure, 'session')
  const errorIds = await itemsOf(db, erasure, 'error')
  const userIds = await itemsOf(db, erasure, 'identifier')
  if (visitorNos.length + sessionNos.length + userIds.length === 0) return 'done'
  // Once: it looks at all sessions of the site.
  if (erasure.reached === null) await forgetUnusedSpellings(db, siteNo)

  const eraseLoose = async (span: TimeSpan) => {
    for (;;) {
      const hits = await selectLoose(db, { ...span, siteNo, visitorNos, until, limit: mostHits })
      if (hits.length === 0) return true
      await inErasingTransaction(db, siteNo, async tx => {
        await eraseHits(tx, erasure, hits)
        const touched = hits.map(({ at }) => ({ siteNo, at: at.getTime() }))
        await markBuckets(tx, 'hits', touched)
        await markBuckets(tx, 'daily_rollups', touched)
      })
      if (!hasTime()) return false
    }
  }
  return walk(db, erasure, hasTime, async span => {
    if (!(await eraseLoose(span))) return false
    for (const event of await selectServiceEvents(db, { ...span, siteNo, visitorNos, sessionNos })) {
      await inErasingTransaction(db, siteNo, tx => unlinkServiceEvent(tx, { siteNo, ...event }))
    }
    if (errorIds.length > 0) {
      const found = await selectErrors(db, { ...span, siteNo, errorIds })
      const names = found.map(({ errorId, name, at }) => JSON.stringify([errorId, at.toISOString(), name]))
      await addItems(db, erasure, 'error_name', names)
    }
    if (userIds.length > 0) {
      const found = await selectUsers(db, { ...span, siteNo, userIds })
      await addItems(
        db,
        erasure,
        'used',
        found.map(({ userId }) => userId),
      )
    }
    return true
  })
}
