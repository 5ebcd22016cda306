import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { storeHits } from '../../../src/ingestion/store/store.ts'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { connectDb, type Db } from '../../../src/platform/db/connect.ts'
import { dialect } from '../../../src/platform/db/dialects/chosen-dialect.ts'
import { requireKnownSchema } from '../../../src/platform/db/known-schema.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { requireWhole } from '../../../src/platform/db/whole.ts'
import { refreshAggregate } from '../../../src/storage/rollups/aggregates.ts'
import { folderOfCase } from '../../support/data-dir.ts'
import { testDatabase, useDatabase } from '../../support/database.ts'
import { enrichedHit } from '../../support/hits.ts'
import { recordNewPayment } from '../../support/payments.ts'
import { sweep } from '../../support/runs.ts'
import { createTestSite } from '../../support/sites.ts'

const NOW = new Date('2026-04-01T00:00:00Z')
/** In chunks of their own. */
const WEEKS = ['2025-12-03T12:00:00Z', '2026-02-04T12:00:00Z']

const database = useDatabase(testDatabase)
beforeAll(async () => {
  const { db } = database
  const site = await createTestSite(db)
  await storeHits(
    db,
    'all',
    WEEKS.map(at => enrichedHit(site, Date.parse(at))),
  )
  for (const at of WEEKS) await recordNewPayment(db, site, { paidAt: new Date(at) })
  for (const aggregate of ['hits', 'revenue'] as const) await refreshAggregate(db, aggregate, NOW)
})

/** The error after a change that is taken back. */
async function refusalAfter(change: string): Promise<string> {
  let message = 'none'
  const undone = database.db.begin(async tx => {
    await tx.unsafe(change)
    message = await requireWhole(tx).then(
      () => 'none',
      (error: Error) => error.message,
    )
    throw new Error('taken back')
  })
  await expect(undone).rejects.toThrow('taken back')
  return message
}

/** The newest chunk of a table, or of what a continuous aggregate keeps. */
async function newestChunk(table: string): Promise<string> {
  const [chunk] = await database.db<{ name: string }[]>`
    select format('%I.%I', chunk_schema, chunk_name) as name from timescaledb_information.chunks
    left join timescaledb_information.continuous_aggregates on materialization_hypertable_name = chunks.hypertable_name
    where coalesce(view_name, chunks.hypertable_name) = ${table} order by range_start desc limit 1`
  return chunk!.name
}

const isCitus = dialect().name === 'citus'
const TABLES = ['events', 'sessions', 'revenue', 'hits_15m', 'revenue_15m']

test.skipIf(isCitus)(
  'a database is whole as the service left it, also when a site has lost all of its rows',
  async () => {
    await expect(requireWhole(database.db)).resolves.toBeUndefined()
    const chunks = await Promise.all(TABLES.map(newestChunk))
    const gone = ['revenue', 'payments'].map(table => `delete from ${table}`).join(';')
    expect(await refusalAfter(`${gone}; truncate ${chunks.join()}`)).toBe('none')
  },
)

const LOSSES = [
  ...TABLES.map(table => ['truncate', table] as const),
  ...['events', 'sessions'].map(table => ['drop table', table] as const),
]
test.skipIf(isCitus).each(sweep(LOSSES))(
  'a database after %s of the newest chunk of %s is refused',
  async (loss, table) => {
    const refusal = await refusalAfter(`${loss} ${await newestChunk(table)}`)
    expect(refusal).toMatch(new RegExp(`not whole: rows are missing in ${table} from 202`))
  },
)

test.skipIf(isCitus)('a database whose tables are ordinary ones is refused', async () => {
  const plain = 'alter table events rename to lost; create table events (like lost)'
  expect(await refusalAfter(plain)).toContain('TimescaleDB does not know events')
})

test('migrations: a schema of a later version, or of none that is known, is refused, and nothing is changed', async () => {
  const { db } = database
  expect(await migrate(db)).toEqual([])
  await db`insert into migrations (name, version) values ('9999_later.sql', '99.1.0')`
  await expect(migrate(db)).rejects.toThrow(
    /schema of version 99\.1\.0 \(migration 9999_later\.sql\); this is version \d/,
  )
  await db`update migrations set name = '0000_first.sql' where name = '9999_later.sql'`
  await expect(migrate(db)).rejects.toThrow(/before 0\.2\.0, or of another program; this is version \d/)
  await db`delete from migrations where name = '0000_first.sql'`
  expect(await migrate(db)).toEqual([])

  const settings = { version: '0.2.0', hasTeams: true }
  expect(() => requireKnownSchema([], ['0001_a.sql'], settings)).toThrow('before 0.2.0')
  expect(() => requireKnownSchema([{ name: null, version: null }], ['0001_a.sql'], settings)).toThrow(
    'before 0.2.0',
  )
  const later = [{ name: '0002_b.sql', version: null }]
  expect(() => requireKnownSchema(later, ['0001_a.sql'], settings)).toThrow(
    'schema of a later version (migration 0002_b.sql)',
  )
})

/** The commands of docs/operations.md. */
const COMMANDS = /```sh\n( *pg_dump [\s\S]*?)```/.exec(
  readFileSync(join(projectRoot, 'docs', 'operations.md'), 'utf8'),
)![1]!

test('a backup that is restored as the documents say has every row; restored by pg_restore alone, it is refused', {
  tags: ['full', 'native'],
}, async () => {
  const folder = folderOfCase('backup')
  const run = (commands: string, restored: string) =>
    promisify(execFile)('bash', ['-ec', commands], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: database.url, RESTORED_URL: restored },
    })
  const databases = ['whole', 'torn'].map(name => {
    const url = new URL(database.url)
    url.pathname += `_${name}`
    return { url: url.href, name: url.pathname.slice(1) }
  })
  const [whole, torn] = databases
  onTestFinished(async () => {
    for (const { name } of databases) await database.db.unsafe(`drop database if exists ${name} with (force)`)
  })
  for (const { name } of databases) await database.db.unsafe(`create database ${name}`)
  await run(COMMANDS, whole!.url)
  await run('pg_restore -d "$RESTORED_URL" analytics.dump || true', torn!.url)

  const countsOf = async (db: Db) => {
    const tables = await database.db`select tablename from pg_tables where schemaname = 'public' order by 1`
    return Promise.all(
      tables.map(({ tablename }) => db`select ${tablename} as name, count(*) from ${db(tablename)}`),
    )
  }
  const [restored, broken] = databases.map(({ url }) => connectDb(url, { max: 1, name: 'test' }))
  onTestFinished(async () => void (await Promise.all([restored!.end(), broken!.end()])))
  expect(await migrate(restored!)).toEqual([])
  expect(await countsOf(restored!)).toEqual(await countsOf(database.db))
  await expect(migrate(broken!)).rejects.toThrow('not whole')
})
