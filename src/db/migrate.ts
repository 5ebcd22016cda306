import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../config.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import type { Db } from './connect.ts'

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
    for (const name of missing.sort()) {
      await transaction.unsafe(readFileSync(join(folder, name), 'utf8')).catch(error => {
        throw new Error(`Migration ${name} failed: ${error.message}`, { cause: error })
      })
      await transaction`insert into migrations (name) values (${name})`
    }
    return missing
  })
}

/**
 * Checks that the service can run on this server.
 * @throws Error that says what is missing and how to get it
 */
export async function checkDatabase(db: Db): Promise<void> {
  const [server] = await db<{ version: number; timescaledb: string | null }[]>`
    select
      current_setting('server_version_num')::int as version,
      (select coalesce(installed_version, default_version) from pg_available_extensions where name = 'timescaledb')
        as timescaledb`
  if (server!.version < 150_000) {
    throw new Error(
      `DATABASE_URL is PostgreSQL ${Math.floor(server!.version / 10_000)}; 15 or newer is needed`,
    )
  }
  if (!server!.timescaledb) {
    throw new Error(
      'DATABASE_URL is a PostgreSQL without TimescaleDB. Install TimescaleDB 2.20 or newer (Community edition: ' +
        'https://docs.timescale.com/self-hosted/latest/install/), add timescaledb to shared_preload_libraries and restart, ' +
        'or leave DATABASE_URL unset to use the embedded one.',
    )
  }
  try {
    await db`create extension if not exists timescaledb`
  } catch (error) {
    throw new Error(
      `TimescaleDB is installed but cannot be created in this database (${(error as Error).message}). ` +
        'Add timescaledb to shared_preload_libraries and restart, or run `create extension timescaledb` as a superuser.',
    )
  }
  const [extension] = await db<{ version: string; license: string | null }[]>`
    select extversion as version, current_setting('timescaledb.license', true) as license
    from pg_extension where extname = 'timescaledb'`
  const [major, minor] = extension!.version.split('.').map(Number)
  if (major! < 2 || (major === 2 && minor! < 20)) {
    throw new Error(
      `DATABASE_URL has TimescaleDB ${extension!.version}; 2.20 or newer is needed. ` +
        'Install it and run `alter extension timescaledb update`.',
    )
  }
  if (extension!.license !== 'timescale') {
    throw new Error(
      'DATABASE_URL has the Apache edition of TimescaleDB, which has no continuous aggregates. Install the Community ' +
        "edition (package timescaledb-2, not timescaledb-2-oss) and set timescaledb.license = 'timescale'.",
    )
  }
}
