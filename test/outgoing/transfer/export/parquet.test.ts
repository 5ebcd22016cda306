import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createParquetFile } from '../../../../src/outgoing/transfer/export/parquet.ts'
import { localDay } from '../../../../src/platform/time/local-time.ts'
import { temporaryFolder } from '../../../scripts/command.ts'
import { sharedDatabase } from '../../../support/database.ts'
import { ofFile } from '../../../support/of-file.ts'
import { randomVisits } from '../../../support/random-visits.ts'
import { recountSessions } from '../../../support/recount.ts'
import { worldOf } from '../../../support/recount-world.ts'
import { createTestSite } from '../../../support/sites.ts'
import { storeVisits } from '../../../support/stored-visits.ts'
import { exported } from './support.ts'

const ZONE = 'America/New_York'

const folder = temporaryFolder()
let instance: DuckDBInstance
let duck: DuckDBConnection
const stream = randomVisits(3, { zones: [ZONE] })

const database = ofFile(sharedDatabase)
const site = ofFile(() => createTestSite(database.db, { timezone: ZONE }))
beforeAll(async () => {
  await storeVisits(database.db, site, stream.timely)
  instance = await DuckDBInstance.create(':memory:')
  duck = await instance.connect()
  writeFileSync(join(folder, 'hits.parquet'), await exported(database.db, site, { format: 'parquet' }))
  writeFileSync(join(folder, 'hits.csv'), await exported(database.db, site, { format: 'csv' }))
})
afterAll(async () => {
  duck.closeSync()
  instance.closeSync()
})

async function ask(statement: string): Promise<Record<string, unknown>[]> {
  const result = await duck.runAndReadAll(statement.replace(/\{(\w+)\.(\w+)\}/g, `'${folder}/$1.$2'`))
  return result.getRowObjectsJson()
}

test('Parquet: DuckDB counts what the site counts, by local day', async () => {
  const world = worldOf(stream.hits, recountSessions(stream.timely), ZONE)
  const expected = new Map<number, { pageviews: number; visitors: Set<string>; sessions: number }>()
  const at = (time: number) => {
    const day = localDay(ZONE, time)
    const counts = expected.get(day) ?? { pageviews: 0, visitors: new Set(), sessions: 0 }
    expected.set(day, counts)
    return counts
  }
  for (const hit of world.hits) {
    at(hit.at).visitors.add(hit.visitor)
    if (hit.type === 'pageview') at(hit.at).pageviews += 1
  }
  for (const visit of world.visits) at(visit.startedAt).sessions += 1
  const rows = await ask(`
    with hits as (
      select *, datediff('day', date '1970-01-01', (timestamp at time zone '${ZONE}')::date) as day,
        datediff('day', date '1970-01-01', (session_started_at at time zone '${ZONE}')::date) as start_day
      from {hits.parquet}
    )
    select
      day::int as day,
      count(*) filter (where type = 'pageview')::int as pageviews,
      count(distinct visitor_id) filter (where type not in ('engagement', 'identify'))::int as visitors,
      (
        select count(distinct session_id)::int from hits as starts
        where starts.start_day = hits.day and type not in ('engagement', 'identify')
      ) as sessions
    from hits
    where type not in ('engagement', 'identify')
    group by day
    order by day`)
  const days = [...expected].sort(([one], [other]) => one - other)
  expect(rows).toEqual(days.map(([day, counts]) => ({ day, ...counts, visitors: counts.visitors.size })))
  expect(rows.length).toBeGreaterThan(1)
})

test('columns have types: times in UTC, whole numbers, texts, and properties as JSON', async () => {
  const types = await ask('select column_name, column_type from (describe select * from {hits.parquet})')
  const typeOf = Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type]))
  expect(typeOf).toMatchObject({
    ...{ timestamp: 'TIMESTAMP WITH TIME ZONE', session_started_at: 'TIMESTAMP WITH TIME ZONE' },
    ...{ id: 'VARCHAR', scroll_depth: 'INTEGER', engaged_ms: 'BIGINT', revenue_minor: 'BIGINT' },
    ...{ properties: 'JSON', visit_count: 'INTEGER', source: 'VARCHAR', session_hostname: 'VARCHAR' },
  })
})

test('Parquet: has the rows of the CSV', async () => {
  const columns =
    "id, type, event_name, path, title, session_id, source, visit_count, revenue_minor, properties->>'$.plan' as plan"
  const of = (file: string) => ask(`select ${columns} from ${file} order by id`)
  const csv = await of("read_csv({hits.csv}, all_varchar = true, nullstr = '', allow_quoted_nulls = false)")
  const textOf = (value: unknown) => (value === null ? null : String(value))
  const asText = (rows: Record<string, unknown>[]) =>
    rows.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, textOf(value)])))
  expect(asText(await of('{hits.parquet}'))).toEqual(asText(csv))
  expect(csv.some(({ plan }) => plan !== null)).toBe(true)
})

test('Parquet: of a site without hits is a file without rows', async () => {
  writeFileSync(join(folder, 'none.parquet'), createParquetFile().finish())
  expect(await ask('select count(*)::int as rows from {none.parquet}')).toEqual([{ rows: 0 }])
})
