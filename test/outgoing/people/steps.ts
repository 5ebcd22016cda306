import { expect } from 'vitest'
import { erasePeople } from '../../../src/outgoing/people/erase/erase-people.ts'
import { requestErasure } from '../../../src/outgoing/people/erasures.ts'
import type { Db } from '../../../src/platform/db/connect.ts'
import { refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { expectKeptColumns } from '../../support/expect-columns.ts'
import { silentLog } from '../../support/log.ts'
import { rollUpAll } from '../../support/roll-up.ts'
import type { TestSite } from '../../support/sites.ts'

/** Materialises and rolls up everything but revenue, whose rows other tests write without marks. */
export async function aggregateAll(db: Db, now: Date): Promise<void> {
  await refreshAggregate(db, 'hits', now)
  await rollUpAll(db, now)
}

/** The smallest parts: each run does one thing, each transaction deletes two hits. */
export const TINY = { budgetMs: 0, mostHits: 2 }

export const ask = (db: Db, site: TestSite, person: string, now: Date) =>
  requestErasure({ db, now: () => now, audit: async () => {} }, site, { person })

/** Runs the job until the erasure waits for the rollups or is finished. @returns the number of runs */
export async function work(db: Db, now: Date, options: { budgetMs?: number; mostHits?: number } = {}) {
  for (let run = 1; run < 3_000; run++) {
    if (!(await erasePeople({ db, log: silentLog }, now, options))) return run
  }
  throw new Error('the erasure does not end')
}

/** Erases a person completely, with the rollups that it waits for. */
export async function eraseNow(db: Db, site: TestSite, person: string, now: Date, options = {}) {
  await ask(db, site, person, now)
  await work(db, now, options)
  await aggregateAll(db, now)
  await work(db, now, options)
  const left = await db`select step from erasures where site_no = ${site.siteNo} and person is not null`
  expect(left.map(({ step }) => step)).toEqual([])
}

/** Returns the tables and columns in which a text occurs, in any row of any site. */
export async function tracesOf(db: Db, text: string): Promise<string[]> {
  const tables = await db<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
  const found: string[] = []
  for (const { name } of tables) {
    const [row] = await db`
      select from ${db(name)} as line where strpos(lower(line::text), lower(${text})) > 0 limit 1`
    if (row) found.push(name)
  }
  return found
}

/** When hits of tests are. */
const ALL_TIME = { start: Date.UTC(2025, 0, 1), end: Date.UTC(2026, 11, 31) }

/** Expects that what is stored of a site agrees with its hits. */
export async function expectConsistent(db: Db, { siteNo }: TestSite): Promise<void> {
  await expectKeptColumns(db, { siteNo }, ALL_TIME)
  const [hits] = await db`
    select count(distinct session_no) filter (where not is_service) as sessions,
      count(distinct visitor_no) filter (where not is_service) as visitors, count(distinct error_id) as errors,
      min(at) filter (where type not in ('engagement', 'identify') and not is_service) as "firstAt"
    from events where site_no = ${siteNo}`
  const [stored] = await db`
    select (select count(*) from sessions where site_no = ${siteNo}) as sessions,
      (select count(*) from visitors where site_no = ${siteNo}) as visitors,
      (select count(*) from error_groups where site_no = ${siteNo}) as errors,
      (select first_event_at from sites where site_no = ${siteNo}) as "firstAt"`
  expect(stored).toEqual(hits)
  const [wrong] = await db`
    select count(*)::int as count
    from visitors
    left join lateral (
      select count(*)::int as sessions, max(started_at) as newest, max(visit_count) as visit
      from sessions where sessions.site_no = ${siteNo} and sessions.visitor_no = visitors.visitor_no
    ) as own on true
    where visitors.site_no = ${siteNo}
      and (session_count <> sessions or newest_session_at is distinct from newest or coalesce(visit, 0) <> sessions)`
  expect(wrong!.count).toBe(0)
}
