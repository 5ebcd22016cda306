import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOptions } from '../../src/db/connect.ts'
import { type Database, startDatabase } from '../../src/embedded/database.ts'

let database: Database
let sql: postgres.Sql

beforeAll(async () => {
  database = await startDatabase({ log: { info() {}, warn() {}, error() {} } })
  const { url, host } = clientOptions(database.url)
  sql = postgres(url, { onnotice() {}, ...(host ? { host } : {}) })
})

afterAll(async () => {
  await sql.end()
  await database.close()
})

test('TimescaleDB: a real-time aggregate of distinct visitors is right before, during and after a refresh', async () => {
  await sql`create table hit (site_no int not null, at timestamptz not null, id int not null, visitor_no int not null)`
  await sql`select create_hypertable('hit', by_range('at', interval '1 day'))`
  await sql`create unique index on hit (site_no, at, id)`
  await sql`alter table hit set (timescaledb.compress, timescaledb.compress_segmentby = 'site_no')`
  await sql`
    create materialized view visitor_bucket with (timescaledb.continuous, timescaledb.materialized_only = false) as
    select site_no, time_bucket('15 minutes', at) as bucket, count(*)::int as hits,
      array_agg(distinct visitor_no) as visitors
    from hit group by 1, 2 with no data`

  const at = Array.from({ length: 2880 }, (_, i) => new Date(Date.UTC(2024, 0, 1, 0, i)).toISOString())
  const ids = at.map((_, i) => i)
  const insert = (from: number, to: number) => sql`
    insert into hit select 1, at, id, id % 100 from unnest(${at.slice(from, to)}::timestamptz[], ${ids.slice(from, to)}::int[]) u(at, id)
    on conflict do nothing`
  const totals = async () =>
    (
      await sql`
        select sum(hits)::int as hits, (select count(distinct v)::int from visitor_bucket, unnest(visitors) v) as visitors
        from visitor_bucket`
    )[0]

  await insert(0, 1500)
  expect(await totals()).toEqual({ hits: 1500, visitors: 100 })
  await sql`call refresh_continuous_aggregate('visitor_bucket', '2024-01-01', '2024-01-02')`
  await insert(1400, 2880)
  expect(await totals()).toEqual({ hits: 2880, visitors: 100 })

  await sql`select compress_chunk(c) from show_chunks('hit', older_than => '2024-01-02'::timestamptz) c`
  expect(await sql`select count(*)::int as n from hit where at < '2024-01-02'`).toEqual([{ n: 1440 }])
  await insert(0, 10)
  expect(await totals()).toEqual({ hits: 2880, visitors: 100 })
})

test('TimescaleDB: a refresh inside a transaction is refused, and the session stays usable', async () => {
  const refresh = sql.begin(tx => tx`call refresh_continuous_aggregate('visitor_bucket', null, null)`)
  await expect(refresh).rejects.toThrow(/cannot (run|be executed) (inside|from)|transaction/)
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
})
