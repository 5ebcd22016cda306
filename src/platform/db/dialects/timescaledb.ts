import type { Db } from '../queryable.ts'
import { requireWhole } from '../whole.ts'
import type { Dialect } from './dialect.ts'

/** TimescaleDB on one server: the default, and the embedded database. Migrations and statements are written for it. */
export const TIMESCALEDB: Dialect = {
  name: 'timescaledb',
  checkExtension,
  requireWhole,
  beforeMigrations: () => undefined,
  migration: (_name, text) => [text],
  statement: () => undefined,
  // All rows are on the server of `db`.
  unreachableSites: async () => [],
  sessionSettings: settings => settings,
  copyError: error => error,
}

async function checkExtension(db: Db): Promise<void> {
  const [available] = await db<{ version: string }[]>`
    select coalesce(installed_version, default_version) as version
    from pg_available_extensions where name = 'timescaledb'`
  if (!available?.version) {
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
