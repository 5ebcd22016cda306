import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { CITUS } from '../../../src/platform/db/dialects/citus.ts'

const MIGRATIONS = join(projectRoot, 'sql', 'migrations')
const migrations = readdirSync(MIGRATIONS)
const textOf = (name: string) => readFileSync(join(MIGRATIONS, name), 'utf8')

test.each(migrations)('on Citus, %s has nothing that only TimescaleDB understands', name => {
  const [text] = CITUS.migration(name, textOf(name))
  expect(text!.replace(/--.*/g, '')).not.toMatch(/timescaledb|create_hypertable|materialized view/)
})

test('on Citus, migrations that have nothing of TimescaleDB stay as they are', () => {
  const text = textOf('0001_teams.sql')
  expect(CITUS.migration('0001_teams.sql', text)).toEqual([text])
})

test('on Citus, a migration that makes triggers of distributed tables is not refused, whichever was the last one before it', () => {
  const name = '0060_stored_columns.sql'
  expect(CITUS.migration(name, textOf(name))[0]).toMatch(/^set local citus\.enable_unsafe_triggers = on;/)
})

test('files for Citus follow the migration of their name, in order', () => {
  const files = readdirSync(join(projectRoot, 'sql', 'citus', 'migrations'))
  for (const file of files) expect(migrations).toContain(file.replace(/\.\d_\w+\.sql$/, '.sql'))
  const name = '0043_queue_goal_days.sql'
  const [, first, second] = CITUS.migration(name, textOf(name))
  expect(first).toContain('primary key (site_no, visitor_no)')
  expect(second).toContain('create_distributed_table')
})

test('on Citus, no plan is made before the values of parameters are known, and storing keeps its connections to workers', () => {
  const jit = { jit: 'off' }
  expect(CITUS.sessionSettings({ plan_cache_mode: 'force_generic_plan', ...jit })).toEqual(jit)
  const stores = { ...jit, 'citus.max_cached_conns_per_worker': '3' }
  expect(CITUS.sessionSettings(jit, 'ingest')).toMatchObject(stores)
  expect(CITUS.sessionSettings(jit, 'reads')).toEqual(jit)
})

test('a statement has a text for Citus only where there is a file of its name', () => {
  expect(CITUS.statement('select-visitors')).toContain('any(:siteNos::int[])')
  expect(CITUS.statement('count-payments')).toBeUndefined()
  expect(existsSync(join(projectRoot, 'sql', 'citus', 'queries', 'count-payments.sql'))).toBe(false)
})

test.each([
  ['new row for relation "events_102010" violates check constraint "short_102010"', '23514'],
  ['null value in column "path" of relation "events_102010" violates not-null constraint', '23502'],
  ['duplicate key value violates unique constraint "events_pkey_102010"', '23505'],
  ['row is too big: size 9000, maximum size 8160', '54000'],
  ['index row size 3000 exceeds btree version 4 maximum 2704 for index "paths_102010"', '54000'],
  ['index row requires 9000 bytes, maximum size is 8191', '54000'],
  ['could not extend file "base/5/1": No space left on device', 'XX000'],
  ['canceling statement due to statement timeout', 'XX000'],
])('on Citus, a COPY that a worker refuses with "%s" has SQLSTATE %s', (message, code) => {
  const error = CITUS.copyError(Object.assign(new Error(message), { code: 'XX000' }))
  expect(error).toMatchObject({ message, code })
})

test('on Citus, an error of COPY that has its SQLSTATE keeps it', () => {
  const error = Object.assign(new Error('it violates check constraint "a"'), { code: '40001' })
  expect(CITUS.copyError(error)).toBe(error)
  expect(error.code).toBe('40001')
})
