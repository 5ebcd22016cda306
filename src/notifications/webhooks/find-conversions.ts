import { createHash } from 'node:crypto'
import { arrayText } from '../../db/array-text.ts'
import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { findGoals } from '../../goals/find-goal.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { Log } from '../../runtime/log.ts'
import type { FairPool } from '../../threads/fair-pool.ts'
import { type ComparedHit, matchGoals } from './match-goals.ts'

interface Candidates {
  candidateNo: number
  siteNo: number
  times: Date[]
  ids: string[]
}

/** The oldest first. Those of deleted sites go with the purge. */
const selectCandidates = query<{ limit: number; skipped: number[] }, Candidates>(
  'select-goal-candidates',
  `select candidate_no as "candidateNo", site_no as "siteNo", times, ids
  from goal_candidates
  where
    candidate_no <> all(:skipped::bigint[])
    and exists (select from sites where sites.site_no = goal_candidates.site_no and deleted_at is null)
  order by candidate_no
  limit :limit`,
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

const readHits = query<
  { siteNo: number; times: Date[]; ids: string[]; start: Date; end: Date },
  CandidateHit
>('read-goal-candidates')

const deleteCandidates = query<{ candidateNo: number }, { siteNo: number }>(
  'delete-goal-candidates',
  'delete from goal_candidates where candidate_no = :candidateNo returning site_no as "siteNo"',
)

const insertConversions = query<{
  siteNo: number
  now: Date
  keys: string[]
  times: Date[]
  datas: string
  visitorIds: string
}>(
  'insert-conversions',
  `insert into outgoing_events (site_no, type, key, occurred_at, created_at, data, visitor_id)
  select :siteNo::int, 'goal.converted', key, at, :now::timestamptz, data, visitor_id
  from unnest(:keys::text[], :times::timestamptz[], :datas::text[], :visitorIds::uuid[])
    with ordinality as conversion (key, at, data, visitor_id, position)
  where exists (
    select
    from webhook_endpoints
    where site_no = :siteNo::int and is_enabled and 'goal.converted' = any(kinds) and active_since <= at
  )
  order by position
  on conflict (site_no, key) do nothing`,
)

/** Keeps the conversions of goals that alerts count. */
const keepConversions = query<{ siteNo: number; keys: string[]; goalIds: string[]; times: Date[] }>(
  'keep-goal-conversions',
  `insert into goal_conversions (site_no, key, goal_id, at)
  select :siteNo::int, key, goal_id, at
  from unnest(:keys::text[], :goalIds::uuid[], :times::timestamptz[]) as conversion (key, goal_id, at)
  where goal_id in (select goal_id from alert_rules where site_no = :siteNo::int and is_enabled and kind = 'goal')
  on conflict (site_no, key) do nothing`,
)

export interface Conversion {
  goal: GoalRecord
  hit: CandidateHit
  /** The same for the same conversion: a scroll goal is reached again with each further engagement. */
  key: string
  at: Date
}

export interface ConversionServices {
  db: Db
  log: Log
  patterns: Pick<FairPool, 'run'>
}

/** Rows of candidates in one call. */
const ROUND = 20
/** When candidates that failed are tried again. */
const SKIP_MS = MINUTE_MS

/**
 * Returns a function that compares stored hits with the goals of their sites, and makes an event of each conversion. Candidates
 * leave the table in the transaction that writes their events, so each is compared once whatever dies. A failure of one site does
 * not stop the others.
 */
export function createConversionFinder({ db, log, patterns }: ConversionServices) {
  const skipped = new Map<number, number>()

  /** @returns whether more wait */
  return async function findConversions(now: Date): Promise<boolean> {
    for (const [candidateNo, until] of skipped) if (until <= now.getTime()) skipped.delete(candidateNo)
    const rows = await selectCandidates(db, { limit: ROUND, skipped: [...skipped.keys()] })
    for (const row of rows) {
      try {
        await compareWithGoals({ db, log, patterns }, row, now)
      } catch (error) {
        log.warn(
          { siteNo: row.siteNo, error },
          'hits could not be compared with goals; tried again in a minute',
        )
        skipped.set(row.candidateNo, now.getTime() + SKIP_MS)
      }
    }
    return rows.length === ROUND
  }
}

async function compareWithGoals(
  { db, log, patterns }: ConversionServices,
  { candidateNo, siteNo, times, ids }: Candidates,
  now: Date,
): Promise<void> {
  const goals = await findGoals(db, siteNo, null)
  const found = times.map(time => time.getTime())
  const hits = await readHits(db, {
    siteNo,
    times,
    ids,
    start: new Date(Math.min(...found)),
    end: new Date(Math.max(...found)),
  })
  const pairs = await matchGoals(patterns, goals, hits, goal =>
    log.warn({ siteNo, goalId: goal.id }, 'a goal cannot be looked for'),
  )
  // A goal does not reach back before it was made.
  const conversions = pairs.map(conversionOf).filter(({ goal, at }) => at >= goal.createdAt)
  conversions.sort((a, b) => a.at.getTime() - b.at.getTime() || (a.key < b.key ? -1 : 1))
  await db.begin(async tx => {
    const [taken] = await deleteCandidates(tx, { candidateNo })
    if (!taken || conversions.length === 0) return
    await keepConversions(tx, {
      siteNo,
      keys: conversions.map(({ key }) => key),
      goalIds: conversions.map(({ goal }) => goal.id),
      times: conversions.map(({ at }) => at),
    })
    // Payments and subscriptions have events of their own.
    const told = conversions.filter(({ hit }) => !hit.isService)
    if (told.length === 0) return
    await insertConversions(tx, {
      siteNo,
      now,
      keys: told.map(({ key }) => `goal.converted/${key}`),
      times: told.map(({ at }) => at),
      datas: arrayText(told.map(dataOf)),
      visitorIds: arrayText(told.map(({ hit }) => hit.visitorId)),
    })
  })
}

function conversionOf({ goal, hit }: { goal: GoalRecord; hit: CandidateHit }): Conversion {
  if (hit.type !== 'engagement' || !hit.pageAt) return { goal, hit, key: `${goal.id}/${hit.id}`, at: hit.at }
  const page = createHash('sha256').update(hit.path).digest('base64url')
  return { goal, hit, key: `${goal.id}/${hit.sessionNo}/${hit.pageAt.getTime()}/${page}`, at: hit.pageAt }
}

const dataOf = ({ goal, hit, at }: Conversion): string =>
  JSON.stringify({
    goal: { id: goal.id, display_name: goal.displayName, type: goal.type },
    timestamp: at.toISOString(),
    event_name: hit.type === 'pageview' || hit.type === 'engagement' ? null : hit.name || hit.type,
    hostname: hit.hostname,
    path: hit.path,
    properties: hit.props ?? {},
    revenue:
      hit.revenueMinor === null || hit.revenueCurrency === null
        ? null
        : { amount: hit.revenueMinor, currency: hit.revenueCurrency },
    visitor_id: hit.visitorId,
    source: hit.source,
    channel: hit.channel,
    country: hit.country || null,
  })
