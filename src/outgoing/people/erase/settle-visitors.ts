import { renumberVisits } from '../../../ingestion/store/renumber-visits.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { DAY_MS } from '../../../platform/lib/time.ts'
import { stampChanges } from '../../../storage/columns/stamps.ts'
import { inErasingTransaction } from './erasing-transaction.ts'
import { type Erasure, itemsOf, numbersOf, type Outcome, removeItems } from './items.ts'
import { settleErrors } from './settle-errors.ts'

/** Visitors of one transaction: no hits are stored meanwhile. */
const SLICE = 25

interface Rest {
  visitorNo: number
  sessions: number
  firstAt: Date | null
}

// The sessions are filtered by the given visitors, not joined to them: a join reads all sessions of the columnstore, while no hit is stored.

/** A visitor without sessions goes, unless an identity has come since the request. */
const deleteVisitors = query<{ siteNo: number; visitorNos: number[]; requestedAt: Date }>(
  'delete-erased-visitors',
  `delete from visitors
  where site_no = :siteNo::int and visitor_no = any(:visitorNos::int[])
    and (pending_since is null or pending_since < :requestedAt)
    and visitor_no <> all(array(
      select visitor_no from sessions where site_no = :siteNo::int and visitor_no = any(:visitorNos::int[])
    ))`,
)

/** Sessions that retention has dropped stay counted. */
const updateVisitors = query<{ siteNo: number; visitorNos: number[] }, Rest>(
  'update-rest-of-visitors',
  `update visitors
  set
    session_count = case when details_from is null then rest.sessions else session_count end,
    newest_session_at = rest.newest_at,
    first_seen_at = coalesce(rest.first_at, first_seen_at)
  from (
    select
      given.visitor_no, count(sessions.visitor_no)::int as sessions, max(started_at) as newest_at,
      min(least(first_at, started_at)) as first_at
    from unnest(:visitorNos::int[]) as given (visitor_no)
    left join (
      select visitor_no, started_at, first_at
      from sessions
      where site_no = :siteNo::int and visitor_no = any(:visitorNos::int[])
    ) as sessions on sessions.visitor_no = given.visitor_no
    group by given.visitor_no
  ) as rest, sites
  where visitors.site_no = :siteNo::int and visitors.visitor_no = rest.visitor_no and sites.site_no = :siteNo::int
  returning visitors.visitor_no as "visitorNo", rest.sessions, rest.first_at as "firstAt"`,
)

/** Engagement, identify hits and events of the service are no events of a site. Hits that retention has dropped still count. */
export const updateFirstEvent = query<{ siteNo: number }>(
  'update-first-event',
  `update sites
  set first_event_at = (
    select at from events
    where events.site_no = :siteNo::int and type not in ('engagement', 'identify') and not is_service
    order by at
    limit 1
  )
  where site_no = :siteNo::int and (details_from is null or first_event_at >= details_from)`,
)

/** An identity stays while sessions or visitors have it, or when it has been sent again since the request. */
const deleteIdentities = query<{ siteNo: number; identifiers: string[]; requestedAt: Date }>(
  'delete-unused-identities',
  `delete from identities
  where site_no = :siteNo and identifier = any(:identifiers::text[]) and updated_at < :requestedAt
    and not exists (
      select from visitors where visitors.site_no = :siteNo and pending_identifier = identities.identifier
    )`,
)

/**
 * Deletes the visitors that have nothing left, and counts the visits of the others again; then the errors and identities that only
 * the person had, and the time of the site's first event.
 */
export async function settleVisitors(db: Db, erasure: Erasure, hasTime: () => boolean): Promise<Outcome> {
  const { siteNo, requestedAt } = erasure
  const touched = await numbersOf(db, erasure, 'touched')
  const visitorNos = [...new Set([...touched, ...(await numbersOf(db, erasure, 'visitor'))])]
  for (let first = 0; first < visitorNos.length; first += SLICE) {
    const slice = visitorNos.slice(first, first + SLICE)
    await inErasingTransaction(db, siteNo, async tx => {
      await settleSlice(tx, siteNo, slice, requestedAt)
      for (const kind of ['touched', 'visitor'] as const) {
        await removeItems(tx, erasure, kind, slice.map(String))
      }
    })
    if (!hasTime()) return 'more'
  }
  const used = new Set(await itemsOf(db, erasure, 'used'))
  const identifiers = (await itemsOf(db, erasure, 'identifier')).filter(identifier => !used.has(identifier))
  await inErasingTransaction(db, siteNo, async tx => {
    await deleteIdentities(tx, { siteNo, identifiers, requestedAt })
    await settleErrors(tx, erasure, new Date(requestedAt.getTime() - DAY_MS))
    await updateFirstEvent(tx, { siteNo })
  })
  return 'done'
}

async function settleSlice(
  tx: Transaction,
  siteNo: number,
  visitorNos: number[],
  requestedAt: Date,
): Promise<void> {
  await deleteVisitors(tx, { siteNo, visitorNos, requestedAt })
  const rest = await updateVisitors(tx, { siteNo, visitorNos })
  const late = rest.flatMap(({ visitorNo, sessions, firstAt }) => {
    const at = firstAt?.getTime()
    return sessions > 0 && at !== undefined ? [{ visitorNo, siteNo, firstSeenAt: at, lateSessionAt: at }] : []
  })
  const renumbered = await renumberVisits(tx, late)
  await stampChanges(tx, 'sessions', renumbered)
}
