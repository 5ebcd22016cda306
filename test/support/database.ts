import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inject } from 'vitest'
import { startDatabase } from '../../src/embedded/database.ts'
import { connectDb, type Db } from '../../src/infra/db.ts'
import { silentLog } from './log.ts'

export interface TestDatabase {
  url: string
  db: Db
  close(): Promise<void>
}

/** A private, migrated database: embedded, or on the server of TEST_DATABASE_URL. Shut it in `afterAll`. */
export async function testDatabase(): Promise<TestDatabase> {
  return inject('databaseServer') ? onServer(inject('databaseServer')) : embedded()
}

async function embedded(): Promise<TestDatabase> {
  const snapshot = readFileSync(inject('databaseSnapshot'))
  const database = await startDatabase({ snapshot, log: silentLog })
  const db = connectDb(database.url, { max: 4, name: 'test' })
  return {
    url: database.url,
    db,
    async close() {
      await db.end({ timeout: 5 })
      await database.close()
    },
  }
}

async function onServer(server: string): Promise<TestDatabase> {
  const name = `analytics_test_${randomUUID().replaceAll('-', '')}`
  const admin = connectDb(server, { max: 1, name: 'test' })
  await admin`create database ${admin(name)} template ${admin(inject('databaseTemplate'))}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const db = connectDb(url.href, { max: 4, name: 'test' })
  return {
    url: url.href,
    db,
    async close() {
      await db.end({ timeout: 5 })
      await admin`drop database if exists ${admin(name)} with (force)`
      await admin.end()
    },
  }
}
