import { randomUUID } from 'node:crypto'
import { expect, inject } from 'vitest'
import { connectDb, type Db } from '../../src/platform/db/connect.ts'
import { type Database, startDatabase } from '../../src/platform/embedded/database.ts'
import { type DatabaseFiles, readDatabaseFiles } from '../../src/platform/embedded/memory-files.ts'
import { silentLog } from './log.ts'
import { ofFile } from './of-file.ts'
import { giveMemoryBack, takeMemory } from './recycled-memory.ts'
import { copyDatabase, dropDatabase, serversBehind } from './test-servers.ts'

export interface TestDatabase {
  url: string
  db: Db
  close(): Promise<void>
}

/** The embedded database runs in the thread of the test: a new connection waits as long as a statement takes, on a busy machine many seconds. */
const connect = (url: string): Db => connectDb(url, { max: 4, name: 'test', connectWithin: 60 })

/**
 * A private, migrated database: embedded, or on the server of TEST_DATABASE_URL. Shut it in `afterAll`.
 * @param options.isMaintained false: an embedded one has no statistics but those that the test asks for
 */
export async function testDatabase({ isMaintained = true } = {}): Promise<TestDatabase> {
  return inject('databaseServer') ? onServer(inject('databaseServer')) : embedded(isMaintained)
}

let shared: Promise<TestDatabase> | undefined
let lastFile: string | undefined

/**
 * The database that test files of the same worker share, for tests that look only at teams and sites of their own.
 * It saves starting one, 1.5 s, for each file. `close` ends only the connections: the database ends with the worker.
 */
export async function sharedDatabase(): Promise<TestDatabase> {
  shared ??= testDatabase()
  const { url } = await shared
  const db = connect(url)
  const file = expect.getState().testPath
  if (file !== lastFile) await retireSites(db)
  lastFile = file
  return { url, db, close: () => db.end({ timeout: 5 }) }
}

/**
 * Deletes the sites of the files before, as a purge does. A test that rolls up everything would roll up their days, too, and take as
 * long as those files left work: up to a minute.
 */
async function retireSites(db: Db): Promise<void> {
  await db`update sites set deleted_at = coalesce(deleted_at, now()), purged_at = now() where purged_at is null`
  // Other marks stay: without them, the database would lack what its aggregates should have, and no command would start on it.
  await db`delete from dirty_buckets where aggregate = 'daily_rollups'`
}

/** The database of the tests of a file, from before the first to after the last. */
export const useDatabase = (open: () => Promise<TestDatabase> = sharedDatabase): TestDatabase => ofFile(open)

/** The connection of what is opened later, such as `useDatabase()`. */
export const dbOf = (opened: { db: Db }): Db =>
  new Proxy((() => {}) as never, {
    apply: (_, __, values) => Reflect.apply(opened.db, undefined, values),
    get: (_, name) => Reflect.get(opened.db, name),
  })

let files: DatabaseFiles | undefined

async function embedded(isMaintained: boolean): Promise<TestDatabase> {
  files ??= readDatabaseFiles(inject('databaseFolder'))
  // Forgotten when it is closed: modules of test files stay loaded, and with them what they hold.
  const memory = takeMemory()
  let database: Database | undefined = await startDatabase({ files, memory, log: silentLog, isMaintained })
  const { url } = database
  const db = connect(url)
  return {
    url,
    db,
    async close() {
      await db.end({ timeout: 5 })
      const closing = database
      database = undefined
      if (!closing) return
      await closing.close()
      giveMemoryBack(memory)
      globalThis.gc?.()
    },
  }
}

async function onServer(server: string): Promise<TestDatabase> {
  const name = `${inject('databaseTemplate')}_${randomUUID().slice(0, 8)}`
  const servers = await serversBehind(server)
  await copyDatabase(servers, inject('databaseTemplate'), name)
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = connect(url.href)
  return {
    url: url.href,
    db,
    async close() {
      await db.end({ timeout: 5 })
      await dropDatabase(servers, name)
    },
  }
}
