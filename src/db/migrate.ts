import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../config.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import type { Db } from './connect.ts'
import { dialect, useDialect } from './dialect.ts'

/**
 * Applies the missing migrations of `sql/migrations` in order and in one transaction: either all of them are applied or
 * none. Processes that start at the same time wait for each other.
 * @returns names of the migrations that were applied
 */
export async function migrate(db: Db): Promise<string[]> {
  return db.begin(async transaction => {
    await transaction`select pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`
    await transaction`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const rows = await transaction<{ name: string }[]>`select name from migrations`
    const applied = rows.map(row => row.name)
    const folder = join(projectRoot, 'sql', 'migrations')
    const missing = readdirSync(folder).filter(name => name.endsWith('.sql') && !applied.includes(name))
    const before = applied.length === 0 && dialect().beforeMigrations()
    if (before) await transaction.unsafe(before)
    for (const name of missing.sort()) {
      for (const text of dialect().migration(name, readFileSync(join(folder, name), 'utf8'))) {
        await transaction.unsafe(text).catch(error => {
          throw new Error(`Migration ${name} failed: ${error.message}`, { cause: error })
        })
      }
      await transaction`insert into migrations (name) values (${name})`
    }
    return missing
  })
}

/**
 * Checks that the service can run on this server, and notes which database it is for this process and those that it starts.
 * @throws Error that says what is missing and how to get it
 */
export async function checkDatabase(db: Db): Promise<void> {
  const [server] = await db<{ version: number; citus: boolean }[]>`
    select
      current_setting('server_version_num')::int as version,
      exists (select from pg_extension where extname = 'citus') as citus`
  if (server!.version < 150_000) {
    throw new Error(
      `DATABASE_URL is PostgreSQL ${Math.floor(server!.version / 10_000)}; 15 or newer is needed`,
    )
  }
  await useDialect(server!.citus ? 'citus' : 'timescaledb').checkExtension(db)
}
