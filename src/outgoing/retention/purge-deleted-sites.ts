import { purgeReplays } from '../../ingestion/replays/delete-replays.ts'
import type { Db, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { type TableName, tablesPurgedBy } from '../../platform/db/tables.ts'
import { createTeamTurns } from '../../platform/lib/team-turns.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { limitTime } from '../../platform/lib/time-budget.ts'
import { countDirty, deleteKeptBuckets, MAX_MARKS, MAX_ROWS } from '../../storage/rollups/delete-rows.ts'
import { markBuckets } from '../../storage/rollups/dirty.ts'
import type { Job } from '../../storage/rollups/scheduler.ts'
import { DAY_TABLES, deleteSpan, findStart } from './delete-days.ts'

/** Lower bound of all hit times. */
const EARLIEST = new Date('0001-01-01T00:00:00Z')
/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000
/** After this time, no transaction that began before the deletion can still store rows. */
const SETTLED_MS = 10 * MINUTE_MS

const selectSites = query<void, { siteNo: number; teamId: string; deletedAt: Date }>(
  'select-sites-to-purge',
  `
  select site_no as "siteNo", team_id as "teamId", deleted_at as "deletedAt"
  from sites
  where deleted_at is not null and purged_at is null
  order by deleted_at, site_no`,
)

/**
 * Deletes at most `limit` rows of a site from each table, and returns how many it has deleted.
 * @public the test of all statements reads it
 */
export const PURGE_ROWS = deletionFrom([
  ...tablesPurgedBy('rows').map(table => ({ table, where: 'true' })),
  ...tablesPurgedBy('marks').map(table => ({ table, where: "aggregate = 'daily_rollups'" })),
])
const purgeRows = query<{ siteNo: number; limit: number }, { count: number }>('purge-rows', PURGE_ROWS)

function deletionFrom(parts: { table: TableName; where: string }[]): string {
  const deletions = parts.map(({ table, where }, index) => {
    const rows = `select ctid from ${table} where ${where} and site_no = :siteNo::int limit :limit::int`
    return `gone_${index} as (delete from ${table} where ctid = any(array(${rows})) returning 1)`
  })
  const gone = parts.map((_, index) => `select from gone_${index}`).join(' union all ')
  return `with ${deletions.join(', ')} select count(*)::int as count from (${gone}) as gone`
}

/** Keeps the row of the site, because its number must not be used again, and removes its domain. */
const finishPurge = query<{ siteNo: number; now: Date }>(
  'finish-purge',
  `
  update sites
  set purged_at = :now, domain = ''
  where site_no = :siteNo and deleted_at is not null`,
)

/** Deletes the rows of deleted teams whose sites are purged; the rows of these sites go with them. */
const deletePurgedTeams = query(
  'delete-purged-teams',
  `
  delete from teams
  where
    deleted_at is not null
    and not exists (select from sites where sites.team_id = teams.id and sites.purged_at is null)`,
)

/** Continuous aggregates of tables: deletions must mark their buckets. */
const AGGREGATES: Partial<Record<TableName, 'hits' | 'revenue'>> = { events: 'hits', revenue: 'revenue' }

/**
 * Deletes rows of deleted sites for up to two seconds, in turns of their teams. The remaining rows are the only state: it is safe to stop at any
 * point, and the next run continues. A site is done when a pass finds no rows, no transaction can store new rows
 * (`SETTLED_MS`), and the site has no dirty buckets. A deleted team goes when all of its sites are done.
 */
export async function purgeDeletedSites(db: Db, now: Date, teams = createTeamTurns()): Promise<void> {
  const hasTime = limitTime(BUDGET_MS)
  for (const { siteNo, deletedAt } of teams.each(await selectSites(db))) {
    if (!hasTime()) return
    const isEmpty = await purgeSite(db, siteNo, hasTime)
    if (!isEmpty || now.getTime() - deletedAt.getTime() < SETTLED_MS) continue
    const [marks] = await countDirty(db, { siteNo })
    if (marks!.ofSite === 0) await finishPurge(db, { siteNo, now })
  }
  await deletePurgedTeams(db)
}

/** @returns true when there was nothing to delete */
async function purgeSite(db: Db, siteNo: number, hasTime: () => boolean): Promise<boolean> {
  let isEmpty = true
  for (;;) {
    const [gone] = await purgeRows(db, { siteNo, limit: MAX_ROWS })
    if (gone!.count === 0) break
    isEmpty = false
    if (!hasTime()) return false
  }
  while (await purgeReplays(db, siteNo)) {
    isEmpty = false
    if (!hasTime()) return false
  }
  while (await deleteKeptBuckets(db, siteNo)) {
    isEmpty = false
    const [marks] = await countDirty(db, { siteNo })
    if (marks!.all > MAX_MARKS || !hasTime()) return false
  }
  for (let from = EARLIEST; ; ) {
    const day = await firstDay(db, siteNo, from)
    if (day === undefined) return isEmpty
    isEmpty = false
    const [marks] = await countDirty(db, { siteNo })
    if (marks!.all > MAX_MARKS || !(await purgeDay(db, siteNo, day, hasTime))) return false
    from = new Date(day + DAY_MS)
  }
}

/** Returns the start of the first UTC day, from `from` on, on which the site has rows in a hypertable. */
async function firstDay(db: Db, siteNo: number, from: Date): Promise<number | undefined> {
  const [first] = await findStart(db, { siteNo, from })
  return first!.at ? Math.floor(first!.at.getTime() / DAY_MS) * DAY_MS : undefined
}

/** @returns false when the time limit stopped it before the end of the day */
async function purgeDay(db: Db, siteNo: number, day: number, hasTime: () => boolean): Promise<boolean> {
  const span = { siteNo, start: new Date(day), end: new Date(day + DAY_MS) }
  for (const table of DAY_TABLES) {
    const aggregate = AGGREGATES[table]
    const mark = async (tx: Transaction, buckets: Date[]) => {
      // Like every write below the watermark: the refresh then removes the stale aggregate rows.
      const touched = buckets.map(bucket => ({ siteNo, at: bucket.getTime() }))
      if (aggregate) await markBuckets(tx, aggregate, touched)
    }
    if (!(await deleteSpan(db, table, span, hasTime, mark))) return false
  }
  return true
}

const teamsOfJob = createTeamTurns()

export const PURGE_JOBS: readonly Job[] = [
  { name: 'purge', everyMs: 10_000, run: ({ db }, now) => purgeDeletedSites(db, now, teamsOfJob) },
]
