import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { Db } from '../../src/platform/db/connect.ts'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import { onEnd } from './command.ts'
import { LARGE_SITE } from './service.ts'
import { median } from './table.ts'

// The same questions to DuckDB as to the service, on the same hits, in tables that DuckDB made of them.

const THREADS = 2
const DAYS = 30

/** What a question is about: sessions of a country, in days up to and including `until`. */
interface Asked {
  country: string
  until: string
}

export interface DuckDb {
  /** Milliseconds of the statements of a question: the median of several calls. */
  time(statements: readonly string[], calls: number): Promise<number>
  /** First row of a statement. */
  first(statement: string): Promise<Record<string, unknown>>
}

/** Where the rows of the seeded site come from. */
interface Source {
  copyTo(file: string, select: string): Promise<void>
}

/** Returns the source of the rows of a database: files with a JSON object a line. */
export const sourceOf = (db: Db): Source => ({
  async copyTo(file, select) {
    const lines = async function* () {
      const statement = db.unsafe<{ line: string }[]>(
        `select row_to_json(row)::text as line from (${select}) as row`,
      )
      for await (const rows of statement.cursor(10_000)) yield `${rows.map(({ line }) => line).join('\n')}\n`
    }
    await pipeline(lines, createWriteStream(file))
  },
})

/**
 * Copies the hits and sessions of twice the days into tables of DuckDB, in order of time, which lets it skip what lies outside of a
 * range. Texts stay texts, or become the enumerations that all values of now make possible.
 * @throws Error when DuckDB is not installed
 */
export async function loadDuckDb(source: Source, { until }: Asked, form: 'text' | 'enum'): Promise<DuckDb> {
  const folder = mkdtempSync(join(tmpdir(), 'analytics-duckdb-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  const connection = await connect(join(folder, 'hits.duckdb'))
  const from = dateBefore(until, 2 * DAYS + 2)
  const site = `site_no = (select site_no from sites where domain = '${LARGE_SITE}')`
  const files = { hits: join(folder, 'hits.json'), sessions: join(folder, 'sessions.json') }
  await source.copyTo(
    files.hits,
    `select at at time zone 'UTC' as time, type, is_service, visitor_no, session_no, session_at at time zone 'UTC' as session_at, path, title, country,
      engaged_ms, scroll
    from events where ${site} and at >= '${from}Z'`,
  )
  await source.copyTo(
    files.sessions,
    `select started_at at time zone 'UTC' as started_at, session_no, country, pageviews, duration_ms
    from sessions where ${site} and started_at >= '${from}Z'`,
  )
  await connection.run(`create table hits as select * from read_json('${files.hits}', format = 'newline_delimited', columns = {
    time: 'timestamp', type: 'varchar', is_service: 'boolean', visitor_no: 'integer', session_no: 'bigint', session_at: 'timestamp',
    path: 'varchar', title: 'varchar', country: 'varchar', engaged_ms: 'bigint', scroll: 'smallint'
  }) order by time`)
  await connection.run(`create table sessions as select * from read_json('${files.sessions}', format = 'newline_delimited', columns = {
    started_at: 'timestamp', session_no: 'bigint', country: 'varchar', pageviews: 'integer', duration_ms: 'bigint'
  }) order by started_at`)
  if (form === 'enum') {
    for (const column of ['type', 'path', 'title', 'country']) {
      await connection.run(
        `create type of_${column} as enum (select distinct ${column} from hits where ${column} is not null)`,
      )
      await connection.run(`alter table hits alter ${column} type of_${column}`)
    }
    await connection.run('alter table sessions alter country type of_country')
  }
  await connection.run('checkpoint')
  return {
    async time(statements, calls) {
      const times: number[] = []
      for (let call = -1; call < calls; call++) {
        const startedAt = performance.now()
        for (const statement of statements) await connection.runAndReadAll(statement)
        if (call >= 0) times.push(performance.now() - startedAt)
      }
      return median(times)
    },
    first: async statement => (await connection.runAndReadAll(statement)).getRowObjectsJson()[0] ?? {},
  }
}

async function connect(file: string): Promise<DuckDBConnection> {
  try {
    const { DuckDBInstance } = await import('@duckdb/node-api')
    return await (await DuckDBInstance.create(file, { threads: String(THREADS) })).connect()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error('--duckdb needs DuckDB: npm install --no-save @duckdb/node-api@1.5.5-r.5')
  }
}

const dateBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10)

/** The statements of a read. The first row of the first one has the numbers that `check` names, as the service answers them. */
export interface Question {
  name: string
  path: string
  statements: string[]
  check: string[]
}

/** The reads that are compared, for 30 days. */
export function questionsOf({ country, until }: Asked): Question[] {
  const end = dateBefore(until, -1)
  const start = dateBefore(until, DAYS - 1)
  const before = dateBefore(until, 2 * DAYS - 1)
  const within = (column: string, from: string, to: string) =>
    `${column} >= timestamp '${from}' and ${column} < timestamp '${to}'`
  const around = (from: string, to: string) =>
    `country = '${country}' and time >= timestamp '${from}' - interval 25 hours and time < timestamp '${to}' + interval 25 hours`
  const isVisible = "type not in ('engagement', 'identify') and not is_service"
  const overview = (from: string, to: string) => `
    select * from (
      select count(*) filter (where type = 'pageview') as pageviews,
        count(*) filter (where type = 'event' and not is_service) as custom_events,
        count(distinct visitor_no) filter (where not is_service) as visitors
      from hits where country = '${country}' and ${within('time', from, to)} and type not in ('engagement', 'identify')
    ), (
      select count(*) as sessions, count(*) filter (where pageviews = 1) as bounces, sum(duration_ms) as duration_ms
      from sessions where country = '${country}' and ${within('started_at', from, to)}
    )`
  // By value and session first: engagement counts only in a session that saw the value.
  const byValue = (value: string, visitors: string) => `
    with seen as (
      select ${value} as value, session_no, ${visitors}
        count(*) filter (where type = 'pageview' and ${within('time', start, end)}) as pageviews,
        max(time) filter (where ${isVisible}) as last_at,
        bool_or(${isVisible} and ${within('session_at', start, end)}) as saw_it,
        bool_or(${isVisible} and ${within('time', start, end)}) as is_visit,
        sum(engaged_ms) as engaged_ms, max(scroll) as scroll, bool_or(type = 'engagement') as is_engaged
      from hits
      where ${around(start, end)} and not is_service and type <> 'identify' and ${value} <> ''
      group by all
    )
    select value, ${visitors && 'count(distinct visitor_no) filter (where is_visit) as visitors,'}
      sum(seen.pageviews) as pageviews, count(*) filter (where saw_it) as sessions,
      count(*) filter (where saw_it and started.pageviews = 1) as bounces, sum(duration_ms) filter (where saw_it) as duration_ms,
      sum(engaged_ms) filter (where saw_it) as engaged_ms, count(*) filter (where saw_it and is_engaged) as engaged_sessions,
      sum(scroll) filter (where saw_it) as scroll_sum, max(last_at) as last_at, count(*) over () as total
    from seen left join sessions as started using (session_no)
    group by value
    order by ${visitors && 'visitors desc,'} sessions desc, pageviews desc, value
    limit 25`
  return [
    {
      name: 'overview',
      path: '/overview?',
      statements: [overview(start, end), overview(before, start)],
      check: ['pageviews', 'custom_events', 'visitors', 'sessions'],
    },
    {
      name: 'breakdown path',
      path: '/stats/breakdown?dimension=path&',
      statements: [byValue('path', 'visitor_no,')],
      check: ['visitors', 'pageviews', 'sessions'],
    },
    {
      name: 'page titles',
      path: '/stats/page-titles?',
      statements: [
        byValue('title', ''),
        `select title, count(distinct session_no) as sessions
        from hits
        where ${around(before, start)} and ${within('session_at', before, start)} and ${isVisible} and title <> ''
        group by title order by sessions desc limit 1000`,
      ],
      check: ['pageviews', 'sessions'],
    },
  ]
}
