import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../../src/platform/config/config.ts'
import { connectDb, type Db } from '../../../src/platform/db/connect.ts'
import { checkDatabase, migrate } from '../../../src/platform/db/migrate.ts'
import { startDatabase } from '../../../src/platform/embedded/database.ts'
import { silentLog } from '../../support/log.ts'

const MIGRATIONS = readdirSync(join(projectRoot, 'sql', 'migrations')).sort()

/** Opens two pools on an empty database, like two processes that start at the same time. */
async function emptyDatabase(): Promise<[Db, Db]> {
  const database = await startDatabase({ log: silentLog })
  onTestFinished(() => database.close())
  const connect = () => {
    const db = connectDb(database.url, { max: 1, name: 'test' })
    onTestFinished(() => db.end({ timeout: 2 }))
    return db
  }
  return [connect(), connect()]
}

const tablesOf = async (db: Db) => {
  const rows = await db`select tablename from pg_tables where schemaname = 'public' order by 1`
  return rows.map(row => row.tablename as string)
}

test('migrations: two processes that start together on an empty database apply each migration once', {
  tags: ['full'],
}, async () => {
  const [one, other] = await emptyDatabase()
  await Promise.all([checkDatabase(one), checkDatabase(other)])
  const applied = await Promise.all([migrate(one), migrate(other)])
  expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([MIGRATIONS, []])
  const rows = await one`select name from migrations order by name`
  expect(rows.map(row => row.name)).toEqual(MIGRATIONS)

  expect(await migrate(other)).toEqual([])
  expect(await one`select count(*)::int as count from migrations`).toEqual([{ count: MIGRATIONS.length }])
})

test('migrations: a failed migration leaves nothing behind, and all are applied once it can succeed', async () => {
  const [db] = await emptyDatabase()
  await db`create table subscriptions (in_the_way boolean)`
  await expect(migrate(db)).rejects.toThrow(/0008_subscriptions.*"subscriptions" already exists/s)
  expect(await tablesOf(db)).toEqual(['subscriptions'])
  expect(await db`select 1 from pg_class where relname = 'visitor_numbers'`).toEqual([])

  await db`drop table subscriptions`
  expect(await migrate(db)).toEqual(MIGRATIONS)
})
