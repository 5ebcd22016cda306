import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, test } from 'vitest'
import { clientOptions } from '../../src/db/connect.ts'
import { startDatabase } from '../../src/embedded/database.ts'
import { readDatabaseFiles } from '../../src/embedded/memory-files.ts'
import { databaseUrl, socketPathFor } from '../../src/embedded/paths.ts'
import { fillDataDir } from '../support/data-dir.ts'
import { exited, ready, spawnEntry } from './spawn.ts'

const log = { info() {}, warn() {}, error() {} }
const root = mkdtempSync(path.join(os.tmpdir(), 'database-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function client(url: string): postgres.Sql {
  const { url: plain, host } = clientOptions(url)
  return postgres(plain, { max: 2, onnotice() {}, ...(host ? { host } : {}) })
}

async function startProcess(dataDir: string) {
  const child = await spawnEntry('workers/embedded-database.ts', ['--data-dir', dataDir])
  await ready(child)
  return { child, sql: client(databaseUrl(dataDir)) }
}

test('embedded database: rows committed before kill -9 are kept, and an open transaction leaves nothing', async () => {
  const dataDir = path.join(root, 'killed')
  fillDataDir(dataDir)
  const first = await startProcess(dataDir)
  await first.sql`create table kept (id int)`
  await first.sql`insert into kept select generate_series(1, 1000)`
  await first.sql
    .begin(async tx => {
      await tx`insert into kept values (-1)`
      first.child.kill('SIGKILL')
      await tx`insert into kept values (-2)`
    })
    .catch(() => {})
  await exited(first.child)
  await first.sql.end({ timeout: 1 })

  const second = await startProcess(dataDir)
  expect(await second.sql`select count(*)::int as n, min(id) from kept`).toEqual([{ n: 1000, min: 1 }])
  await second.sql.end()

  // A second start is refused while it runs, in this process or another.
  const refused = new RegExp(`in use by process ${second.child.pid}`)
  await expect(startDatabase({ dataDir, log })).rejects.toThrow(refused)
  const other = await spawnEntry('workers/embedded-database.ts', ['--data-dir', dataDir])
  expect(await exited(other)).toBe(1)
  expect(other.output()).toMatch(refused)

  second.child.kill('SIGINT')
  second.child.kill('SIGTERM')
  expect(await exited(second.child)).toBe(0)
}, 120_000)

test('embedded database: the process stops cleanly when its parent is gone, and the next one can lock the folder', async () => {
  const dataDir = path.join(root, 'orphan')
  fillDataDir(dataDir)
  const { child, sql } = await startProcess(dataDir)
  await sql`create table kept (id int)`
  await sql.end()
  child.disconnect()
  expect(await exited(child)).toBe(0)

  // A reused pid must not count as the holder: this process is alive, but it started at another time.
  const lock = { pid: process.pid, startedAt: 'another time', socketPath: socketPathFor(dataDir) }
  writeFileSync(path.join(dataDir, 'database.lock'), JSON.stringify(lock))
  const database = await startDatabase({ dataDir, log })
  await expect(startDatabase({ dataDir, log })).rejects.toThrow(`in use by process ${process.pid}`)
  const again = client(database.url)
  expect(await again`select count(*)::int as n from kept`).toEqual([{ n: 0 }])
  await again.end()
  await database.close()
}, 120_000)

test('embedded database: an in-memory one starts from the files of another, which it leaves as they are', async () => {
  const dataDir = path.join(root, 'template')
  fillDataDir(dataDir)
  const template = await startDatabase({ dataDir, log })
  const sql = client(template.url)
  await sql`create table seeded as select 7 as id`
  await sql.end()
  await template.close()
  const files = readDatabaseFiles(path.join(dataDir, 'database'))
  for (const id of [8, 9]) {
    const copy = await startDatabase({ files, log })
    const copied = client(copy.url)
    await copied`insert into seeded values (${id})`
    expect(await copied`select id from seeded order by id`).toEqual([{ id: 7 }, { id }])
    await copied.end()
    await copy.close()
  }
}, 120_000)

test('embedded database: closing rolls back open transactions and ends their connections', async () => {
  const dataDir = path.join(root, 'closing')
  fillDataDir(dataDir)
  const database = await startDatabase({ dataDir, log })
  const sql = client(database.url)
  await sql`create table kept (id int)`
  let closing: Promise<void> | undefined
  await expect(
    sql.begin(async tx => {
      await tx`insert into kept values (1)`
      closing = database.close()
      await closing
      await tx`insert into kept values (2)`
    }),
  ).rejects.toThrow()
  await closing
  await sql.end({ timeout: 1 })
  const reopened = await startDatabase({ dataDir, log })
  const again = client(reopened.url)
  expect(await again`select count(*)::int as n from kept`).toEqual([{ n: 0 }])
  await again.end()
  await reopened.close()
}, 120_000)
