// @module-tag full
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import postgres from 'postgres'
import { expect, test } from 'vitest'
import { clientOptions } from '../../../src/platform/db/connect.ts'
import { type Database, startDatabase } from '../../../src/platform/embedded/database.ts'
import { readDatabaseFiles } from '../../../src/platform/embedded/memory-files.ts'
import { databaseUrl, socketPathFor } from '../../../src/platform/embedded/paths.ts'
import { fillDataDir, folderOfFile } from '../../support/data-dir.ts'
import { exited, ready, spawnEntry } from './spawn.ts'

const log = { info() {}, warn() {}, error() {} }
const root = folderOfFile('database')

function client(url: string): postgres.Sql {
  const { url: plain, host } = clientOptions(url)
  return postgres(plain, { max: 2, onnotice() {}, ...(host ? { host } : {}) })
}

function newFolder(name: string): string {
  const dataDir = path.join(root, name)
  fillDataDir(dataDir)
  return dataDir
}

/** What a query returns from a database that is closed after it. */
async function readAndClose(database: Database, read: (sql: postgres.Sql) => Promise<unknown>) {
  const sql = client(database.url)
  const rows = await read(sql)
  await sql.end()
  await database.close()
  return rows
}

async function startProcess(dataDir: string) {
  const child = await spawnEntry('workers/embedded-database.ts', ['--data-dir', dataDir])
  await ready(child)
  return { child, sql: client(databaseUrl(dataDir)) }
}

test('embedded database: after kill -9 committed rows are there, the process stops with its parent, and the next one can lock the folder', async () => {
  const dataDir = newFolder('killed')
  const first = await startProcess(dataDir)
  await first.sql`create table kept as select generate_series(1, 1000) as id`
  const unfinished = first.sql.begin(async tx => {
    await tx`insert into kept values (-1)`
    first.child.kill('SIGKILL')
    await tx`insert into kept values (-2)`
  })
  await expect(unfinished).rejects.toThrow()
  await exited(first.child)
  await first.sql.end({ timeout: 1 })

  const second = await startProcess(dataDir)
  expect(await second.sql`select count(*)::int as n, min(id) from kept`).toEqual([{ n: 1000, min: 1 }])
  await second.sql.end()
  await expect(startDatabase({ dataDir, log })).rejects.toThrow(`in use by process ${second.child.pid}`)
  second.child.disconnect()
  expect(await exited(second.child)).toBe(0)

  // A reused pid must not count as the holder: this process is alive, but it started at another time.
  const lock = { pid: process.pid, startedAt: 'another time', socketPath: socketPathFor(dataDir) }
  writeFileSync(path.join(dataDir, 'database.lock'), JSON.stringify(lock))
  const database = await startDatabase({ dataDir, log })
  await expect(startDatabase({ dataDir, log })).rejects.toThrow(`in use by process ${process.pid}`)
  const kept = await readAndClose(database, again => again`select count(*)::int as n from kept`)
  expect(kept).toEqual([{ n: 1000 }])
})

test('embedded database: an in-memory one starts from the files of another, which it leaves as they are', async () => {
  const dataDir = newFolder('template')
  const template = await startDatabase({ dataDir, log })
  await readAndClose(template, sql => sql`create table seeded as select 7 as id`)
  const files = readDatabaseFiles(path.join(dataDir, 'database'))
  for (const id of [8, 9]) {
    const copy = await startDatabase({ files, log })
    const ids = readAndClose(copy, async copied => {
      await copied`insert into seeded values (${id})`
      return copied`select id from seeded order by id`
    })
    expect(await ids).toEqual([{ id: 7 }, { id }])
  }
})

test('embedded database: it has as many shared buffers as it was told', async () => {
  const database = await startDatabase({ dataDir: newFolder('buffers'), log })
  expect(await readAndClose(database, sql => sql`show shared_buffers`)).toEqual([{ shared_buffers: '32MB' }])
})

test('embedded database: closing rolls back open transactions and ends their connections', async () => {
  const dataDir = newFolder('closing')
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
  const kept = await readAndClose(reopened, again => again`select count(*)::int as n from kept`)
  expect(kept).toEqual([{ n: 0 }])
})
