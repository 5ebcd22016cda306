import { query } from '../../../../platform/db/query.ts'
import type { ComparedHit } from './match-goals.ts'

/** Sites with hits that wait, those that wait longest first. Notes of deleted sites go with the purge. */
export const selectWaitingSites = query<
  { limit: number; busySites: number[]; busyTeams: string[] },
  { siteNo: number; teamId: string }
>(
  'select-sites-of-candidates',
  `select site_no as "siteNo", sites.team_id as "teamId"
  from (select site_no, min(candidate_no) as first_no from goal_candidates group by site_no) as waiting
  join sites using (site_no)
  where deleted_at is null and site_no <> all(:busySites::int[]) and team_id <> all(:busyTeams::uuid[])
  order by first_no
  limit :limit`,
)

export interface Note {
  candidateNo: number
  times: Date[]
  ids: string[]
}

/** The oldest notes of a site: one, and further ones until they have `hits`; at most `most` notes. */
export const selectNotes = query<{ siteNo: number; hits: number; most: number }, Note>(
  'select-goal-candidates',
  `select candidate_no as "candidateNo", times, ids
  from (
    select candidate_no, times, ids, sum(cardinality(ids)) over (order by candidate_no) - cardinality(ids) as before
    from (
      select * from goal_candidates where site_no = :siteNo order by candidate_no limit :most
    ) as oldest
  ) as counted
  where before < :hits::int
  order by candidate_no`,
)

/** What waits for conversions of a site. Always one row. */
export interface Watchers {
  /** Goals that alerts count. */
  alertGoals: string[]
  /** Since when the first of the endpoints gets conversions; null while no endpoint gets them. */
  since: Date | null
}

export const findWatchers = query<{ siteNo: number }, Watchers>(
  'find-goal-watchers',
  `select
    array(
      select goal_id
      from alert_rules
      where site_no = :siteNo::int and is_enabled and kind = 'goal' and goal_id is not null
    ) as "alertGoals",
    min(active_since) as since
  from webhook_endpoints
  where site_no = :siteNo::int and is_enabled and 'goal.converted' = any(kinds)`,
)

/** Returns for how many conversions the emptiest queue of a site has room. Events without deliveries yet take room of all. */
export const findRoom = query<{ siteNo: number; mostWaiting: number }, { room: number }>(
  'find-room-for-conversions',
  `select
    greatest(
      0,
      :mostWaiting::int
        - coalesce(min((select count(*) from webhook_deliveries where endpoint_id = endpoint.id and state = 'pending')), 0)
        - (select count(*) from outgoing_events where site_no = :siteNo::int and not is_spread)
    )::int as room
  from webhook_endpoints as endpoint
  where site_no = :siteNo::int and is_enabled and 'goal.converted' = any(kinds)`,
)

export interface CandidateHit extends ComparedHit {
  at: Date
  id: string
  hostname: string
  /** Written by the service itself. */
  isService: boolean
  /** Of engagement: the time of its pageview. */
  pageAt: Date | null
  sessionNo: number | null
  visitorId: string | null
  source: string
  channel: string
  country: string
  revenueMinor: number | null
  revenueCurrency: string | null
}

interface HitKeys {
  siteNo: number
  times: Date[]
  ids: string[]
  start: Date
  end: Date
}

export const readHits = query<HitKeys, CandidateHit>('read-goal-candidates')

/** Returns those of the hits that are still there: an erasure may have deleted them since they were read. */
export const selectPresent = query<HitKeys, { id: string }>(
  'select-present-hits',
  `select wanted.id
  from unnest(:times::timestamptz[], :ids::uuid[]) as wanted (at, id)
  cross join lateral (
    select
    from events
    where site_no = :siteNo::int and events.at = wanted.at and events.id = wanted.id
      and events.at >= :start::timestamptz and events.at <= :end::timestamptz
    limit 1
  ) as hit`,
)

/** @returns the notes that were still there */
export const deleteNotes = query<{ candidateNos: number[] }, { candidateNo: number }>(
  'delete-goal-candidates',
  `delete from goal_candidates
  where candidate_no = any(:candidateNos::bigint[])
  returning candidate_no as "candidateNo"`,
)

/** Deletes the oldest notes of a site beyond the newest `most`. @returns one row with their hits */
export const deleteLateNotes = query<{ siteNo: number; most: number }, { hits: number }>(
  'delete-late-goal-candidates',
  `with late as (
    delete from goal_candidates
    where site_no = :siteNo::int
      and candidate_no <= (
        select candidate_no from goal_candidates where site_no = :siteNo::int order by candidate_no desc offset :most::int limit 1
      )
    returning ids
  )
  select coalesce(sum(cardinality(ids)), 0)::int as hits from late`,
)

/** One element of the arrays for each conversion, one of the last two for each of their hits. */
export const insertConversions = query<{
  siteNo: number
  now: Date
  keys: string[]
  times: Date[]
  datas: string
  hitIds: string[]
  visitorIds: string
  toldIds: string[]
  toldDatas: string
}>('insert-conversions')

/** Keeps the conversions of goals that alerts count. */
export const keepConversions = query<{ siteNo: number; keys: string[]; goalIds: string[]; times: Date[] }>(
  'keep-goal-conversions',
  `insert into goal_conversions (site_no, key, goal_id, at)
  select :siteNo::int, key, goal_id, at
  from unnest(:keys::text[], :goalIds::uuid[], :times::timestamptz[]) as conversion (key, goal_id, at)
  where goal_id in (select goal_id from alert_rules where site_no = :siteNo::int and is_enabled and kind = 'goal')
  on conflict (site_no, key) do nothing`,
)

/** Counts what the endpoints for conversions of a site are not told. */
export const countDropped = query<{ siteNo: number; count: number }>(
  'count-dropped-conversions',
  `update webhook_endpoints
  set dropped = dropped + :count
  where site_no = :siteNo and is_enabled and 'goal.converted' = any(kinds)`,
)
