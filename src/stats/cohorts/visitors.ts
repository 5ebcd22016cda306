import { query } from '../../db/query.ts'
import { invalidField } from '../../errors.ts'
import { targetOf } from '../../goals/matching.ts'
import type { GoalRecord } from '../../goals/schema.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { boundsOf } from '../../time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import { keptPart, type ResolvedQuery } from '../filters/resolved-query.ts'
import { blocksOf, joinColumn } from '../moments/fetch-blocks.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { findTargets } from '../resolve/targets.ts'
import { type FilteredQuery, filteredQuery, type OptionsOf } from '../sql/filtered-query.ts'
import { readSlices } from '../sql/slices.ts'
import type { Calendar } from './calendar.ts'
import type { CohortTasks, Returns } from './count-returns.ts'

/** Most sessions, visitors and users of a read: their columns take about 30 bytes each on their way. */
const MOST = 8_000_000
const MOST_USERS = 500_000

/** A first hit may lie so long before the start of the session that it belongs to. */
const SESSION_REACH_MS = 25 * HOUR_MS

interface NumberPart {
  /** From 0 for each block. */
  part: number
  rows: number
  numbers: Buffer | null
  others: Buffer | null
}

/**
 * Packs the columns `number` and `other` of rows as `pack-funnel-moments` does its moments: cut into rows of 256 KB, because the driver
 * reads a row in one step. Without `offset 0`, each part would make the bytes of all again. One more than the parameter `most` at most.
 */
const packed = (rows: string) => `select part, rows,
    substring(numbers from part * 262144 + 1 for 262144) as numbers,
    substring(others from part * 262144 + 1 for 262144) as others
  from (
    select *, generate_series(0, coalesce(greatest(length(numbers), length(others)) - 1, 0) / 262144) as part
    from (
      select rows, array_send(numbers) as numbers, array_send(others) as others
      from (
        select count(*) as rows, array_agg(number) as numbers, array_agg(other) filter (where other is not null) as others
        from (${rows} limit (select most + 1 from params)) as listed
      ) as collected
      offset 0
    ) as sent
  ) as numbered`

interface PeriodParams {
  most: number
  bounds: readonly Date[]
}

const PERIOD = '(select bounds from params)'

const packFirstVisits = filteredQuery<PeriodParams, NumberPart>(
  'pack-first-visits',
  ['filtered_sessions'],
  packed(
    `select
      visitor_no::bigint * 1024 + (visit_count = 1)::int * 512 + width_bucket(started_at, ${PERIOD}) as number,
      case when user_id <> '' then session_no else 0 end as other
    from filtered_sessions where visit_count = 1 or user_id <> ''`,
  ),
)

const packCohortConversions = filteredQuery<PeriodParams, NumberPart>(
  'pack-cohort-conversions',
  ['conversions'],
  packed(
    `select visitor_no::bigint * 1024 + 512 + width_bucket(at, ${PERIOD}) as number, coalesce(session_no, 0) as other
    from conversions
    where visitor_no is not null`,
  ),
)

const packCohortSessions = filteredQuery<PeriodParams & { firstVisit: number }, NumberPart>(
  'pack-cohort-sessions',
  ['filtered_sessions'],
  packed(
    `select visitor_no::bigint * 1024 + width_bucket(started_at, ${PERIOD}) as number, null::bigint as other
    from filtered_sessions
    where visit_count >= (select "firstVisit" from params)`,
  ),
)

const packRecognizedVisitors = query<
  { siteNo: number; since: Date; most: number },
  { part: number; rows: number; numbers: Buffer | null; others: Buffer | null }
>(
  'pack-recognized-visitors',
  `select part, rows, substring(numbers from part * 262144 + 1 for 262144) as numbers, null::bytea as others
  from (
    select *, generate_series(0, coalesce(length(numbers) - 1, 0) / 262144) as part
    from (
      select count(*) as rows, array_send(array_agg(number)) as numbers
      from (
        select visitor_no::bigint as number
        from visitors
        where site_no = :siteNo::int and first_seen_at >= :since::timestamptz and {is_recognized}
        limit :most::bigint + 1
      ) as listed
      offset 0
    ) as sent
  ) as numbered`,
)

/** Sessions of users with visitors who are not recognized, in any cohort or before. */
const listSessionsOfUsers = query<
  { siteNo: number; since: Date; until: Date; bounds: Date[]; most: number },
  { sessions: Buffer; periods: Buffer }
>(
  'list-sessions-of-users',
  `select
    array_send(array_agg(session_no order by started_at, session_no)) as sessions,
    array_send(
      array_agg(width_bucket(started_at, :bounds::timestamptz[])::bigint order by started_at, session_no)
    ) as periods
  from sessions
  join visitors using (site_no, visitor_no)
  where site_no = :siteNo::int and started_at >= :since::timestamptz and started_at < :until::timestamptz
    and user_id <> '' and not {is_recognized}
  group by user_id
  limit :most::int`,
)

interface VisitorCohorts {
  /** Of the range. */
  resolved: ResolvedQuery
  calendar: Calendar
  /** Null: first visits. */
  goal: GoalRecord | null
  later: number
}

/**
 * Returns how many persons began in each period of the range, and how many of them came back in later ones.
 * @throws AppError `validation_failed` for too many of them, and as `findTargets`
 */
export async function countVisitors(
  services: StatsServices,
  site: StatsSite,
  { resolved: whole, calendar, goal, later }: VisitorCohorts,
): Promise<Returns> {
  const { periods, labels } = calendar
  const resolved = keptPart(whole)
  const bounds = boundsOf(periods)
  const until = periods.at(-1)!.end
  const { siteNo } = resolved
  const usersSince = site.detailsFrom ?? LONG_AGO
  const counted = await countAsked(
    services,
    resolved,
    'returns',
    {
      ...{ bounds: edgesOf(periods), cohorts: labels.length, later },
      ...{ target: goal && targetOf(goal), usersSince: usersSince.getTime() },
    },
    // The first session of a user may be any earlier one.
    { start: (goal ? resolved.start : usersSince).getTime(), end: until.getTime() },
  )
  if (counted) return counted
  const params = { most: MOST, bounds }
  const targets = goal ? await findTargets(services, { ...resolved, teamId: site.teamId }, [goal]) : undefined
  const everything = {
    siteNo,
    start: resolved.start,
    end: until,
    filters: { dimensions: [], property: undefined },
    goal: undefined,
  }
  const [beginnings, sessions, recognized, users] = await Promise.all([
    targets
      ? readArrays(services, packCohortConversions, resolved, { params, targets })
      : readArrays(services, packFirstVisits, resolved, { params }),
    readArrays(services, packCohortSessions, everything, { params: { ...params, firstVisit: goal ? 1 : 2 } }),
    packRecognizedVisitors(services.reads, {
      siteNo,
      since: goal ? LONG_AGO : new Date(resolved.start.getTime() - SESSION_REACH_MS),
      most: MOST,
    }).then(arraysOf),
    listSessionsOfUsers(services.reads, {
      siteNo,
      since: usersSince,
      until,
      bounds,
      most: MOST_USERS + 1,
    }),
  ])
  if (users.length > MOST_USERS) throw tooMany()
  const input: CohortTasks['countReturns']['input'] = {
    beginnings: beginnings.numbers,
    beginningSessions: beginnings.others,
    recognized: recognized.numbers,
    sessions: sessions.numbers,
    users: users.map(row => ({ sessions: row.sessions, periods: row.periods })),
    isFirstSession: goal === null,
    cohorts: labels.length,
    later,
  }
  return services.patterns.enter(
    site.teamId,
    services.signal,
    () => services.patterns.run('countReturns', input, services.signal) as Promise<Returns>,
  )
}

const LONG_AGO = new Date('1900-01-01')

async function readArrays<Params extends object>(
  services: StatsServices,
  run: FilteredQuery<Params, NumberPart>,
  resolved: ResolvedQuery,
  ...options: OptionsOf<Params>
) {
  return arraysOf(await readSlices(services, run, resolved, ...options))
}

/** Joins the parts of each block. */
function arraysOf(parts: NumberPart[]): { numbers: Uint8Array[]; others: Uint8Array[] } {
  const blocks = blocksOf(parts)
  if (blocks.reduce((sum, [first]) => sum + first!.rows, 0) > MOST) throw tooMany()
  const joined = (column: 'numbers' | 'others') => blocks.map(block => joinColumn(block, column))
  return { numbers: joined('numbers'), others: joined('others') }
}

const tooMany = () =>
  invalidField(
    'range',
    'There are too many visits in this range and the later periods: ask for a shorter one',
  )
