import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot, VERSION } from '../config/config.ts'
import { ADVISORY_LOCKS } from './advisory-locks.ts'
import type { Db } from './connect.ts'
import { dialect, useDialect } from './dialects/chosen-dialect.ts'
import { type Applied, requireKnownSchema } from './known-schema.ts'

/**
 * Applies the missing migrations of `sql/migrations` in order and in one transaction: either all of them are applied or
 * none. Processes that start at the same time wait for each other.
 * @returns names of the migrations that were applied
 * @throws Error for a schema that is too old, too new or not whole; nothing is changed then
 */
export async function migrate(db: Db): Promise<string[]> {
  return db.begin(async transaction => {
    await transaction`select pg_advisory_xact_lock(${ADVISORY_LOCKS.migrations})`
    await transaction`create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const rows = await transaction<Applied[]>`
      select to_jsonb(migrations) ->> 'name' as name, to_jsonb(migrations) ->> 'version' as version from migrations`
    const [found] = await transaction`select to_regclass('public.teams') is not null as "hasTeams"`
    const folder = join(projectRoot, 'sql', 'migrations')
    const known = readdirSync(folder)
      .filter(name => name.endsWith('.sql'))
      .sort()
    requireKnownSchema(rows, known, { version: VERSION, hasTeams: found!.hasTeams })
    const applied = rows.map(row => row.name)
    if (applied.length > 0) await dialect().requireWhole(transaction)
    const missing = known.filter(name => !applied.includes(name))
    if (missing.length > 0) await transaction`alter table migrations add column if not exists version text`
    const before = applied.length === 0 && dialect().beforeMigrations()
    if (before) await transaction.unsafe(before)
    for (const name of missing) {
      for (const text of dialect().migration(name, readFileSync(join(folder, name), 'utf8'))) {
        await transaction.unsafe(text).catch(error => {
          throw new Error(`Migration ${name} failed: ${error.message}`, { cause: error })
        })
      }
      await transaction`insert into migrations (name, version) values (${name}, ${VERSION})`
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
