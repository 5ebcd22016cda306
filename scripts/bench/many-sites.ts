import type { Db } from '../../src/platform/db/connect.ts'
import { query } from '../../src/platform/db/query.ts'
import { DAY_MS, MINUTE_MS } from '../../src/platform/lib/time.ts'
import { AGGREGATE_NAMES, refreshAggregate } from '../../src/storage/rollups/aggregates.ts'
import { rollUpDay } from '../../src/storage/rollups/daily/roll-up-day.ts'
import { rollUpSites } from '../../src/storage/rollups/daily/roll-up-sites.ts'
import { secondsSince } from '../progress.ts'

/** Teams with ten sites each. */
const SITES_PER_TEAM = 10
/** Sessions of one statement. */
const BATCH_SESSIONS = 250_000

const insertTeams = query<{ count: number }>(
  'bench-insert-teams',
  `insert into teams (name, plan) select 'Bench ' || no, 'active' from generate_series(1, :count::int) as team (no)`,
)

const insertSites = query<{ perTeam: number; start: Date }, { siteNo: number }>(
  'bench-insert-sites',
  `insert into sites (team_id, domain, first_event_at)
  select id, no || '.' || replace(lower(name), ' ', '-') || '.example', :start::timestamptz
  from teams, generate_series(1, :perTeam::int) as site (no)
  where name like 'Bench %'
  returning site_no as "siteNo"`,
)

const findSites = query<void, { first: number | null; last: number; nextNo: number }>(
  'bench-find-sites',
  `select min(site_no) as first, max(site_no) as last, (select max(visitor_no) + 1 from visitors) as "nextNo"
  from sites
  where domain like '%.bench-%.example' and deleted_at is null`,
)

const insertSessions = query<{
  firstSite: number
  lastSite: number
  start: Date
  end: Date
  from: number
  to: number
}>('bench-fill-sessions')

/** Sites with numbers without gaps. */
export interface ManySites {
  first: number
  last: number
  /** Number of the next session and visitor. */
  nextNo: number
  /** Whether they were made now. */
  isNew: boolean
}

/** Makes sites, and sessions of yesterday and the day before; a database that has them keeps them. */
export async function fillSites(
  db: Db,
  { sites, sessions, today }: { sites: number; sessions: number; today: number },
): Promise<ManySites> {
  const [found] = await findSites(db)
  if (found!.first !== null) return { ...found!, first: found!.first, isNew: false }
  const start = new Date(today - 2 * DAY_MS)
  await insertTeams(db, { count: Math.ceil(sites / SITES_PER_TEAM) })
  const made = await insertSites(db, { perTeam: SITES_PER_TEAM, start })
  const numbers = made.map(({ siteNo }) => siteNo)
  const [first, last] = numbers.reduce(
    ([low, high], no) => [Math.min(low, no), Math.max(high, no)],
    [Number.POSITIVE_INFINITY, 0],
  )
  const filled = { first, last, nextNo: 1, isNew: true }
  for (let from = 0; from < sessions; from += BATCH_SESSIONS) {
    const to = Math.min(from + BATCH_SESSIONS, sessions)
    const at = (no: number) => new Date(start.getTime() + (2 * DAY_MS * no) / sessions)
    await addSessions(db, filled, {
      sites: filled.last - filled.first + 1,
      count: to - from,
      start: at(from),
      end: at(to),
    })
  }
  return filled
}

/** Adds sessions to the first `sites` of the sites. */
export async function addSessions(
  db: Db,
  filled: ManySites,
  { sites, count, start, end }: { sites: number; count: number; start: Date; end: Date },
): Promise<void> {
  const [from, to] = [filled.nextNo, filled.nextNo + count]
  await insertSessions(db, {
    firstSite: filled.first,
    lastSite: filled.first + sites - 1,
    start,
    end,
    from,
    to,
  })
  filled.nextNo = to
}

/** Seconds of the scheduler's jobs that refresh aggregates and rollups, until nothing is left. */
export async function runRound(db: Db, now: Date): Promise<{ aggregates: number; rollups: number }> {
  const startedAt = performance.now()
  for (const aggregate of AGGREGATE_NAMES) while (await refreshAggregate(db, aggregate, now)) {}
  const aggregates = secondsSince(startedAt)
  while (await rollUpSites(db, now, day => rollUpDay(db, day), { budgetMs: MINUTE_MS })) {}
  return { aggregates, rollups: secondsSince(startedAt) - aggregates }
}
