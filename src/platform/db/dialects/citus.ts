import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../config/config.ts'
import { INTERNAL_ERROR, sqlState } from '../database-errors.ts'
import type { PoolName } from '../pool-settings.ts'
import type { Db } from '../queryable.ts'
import type { Dialect } from './dialect.ts'

const FOLDER = join(projectRoot, 'sql', 'citus')
const read = (...path: string[]) => readFileSync(join(FOLDER, ...path), 'utf8')

/** Citus: a coordinator, which this service speaks to, and the workers that have the rows of sites. */
export const CITUS: Dialect = {
  name: 'citus',
  checkExtension,
  // Its tables have no chunks.
  requireWhole: async () => {},
  beforeMigrations: () => read('before-migrations.sql'),
  migration: (name, text) => [withTriggers(withoutTimescaledb(text)), ...filesAfter(name)],
  statement: name =>
    existsSync(join(FOLDER, 'queries', `${name}.sql`)) ? read('queries', `${name}.sql`) : undefined,
  unreachableSites,
  // Which shard a statement reads is known with the values of its parameters: a generic plan has none.
  sessionSettings: ({ plan_cache_mode: _, ...settings }, pool) => ({
    ...settings,
    ...(pool && STORING_POOLS.has(pool) && STORING_SETTINGS),
  }),
  copyError,
}

/** Triggers of distributed tables are refused without the setting: they run on the worker of the row, and may write rows of its shard alone. */
const withTriggers = (text: string) =>
  /^create trigger/m.test(text) ? `set local citus.enable_unsafe_triggers = on;\n${text}` : text

/** Pools whose transactions write rows of many sites. */
const STORING_POOLS: ReadonlySet<PoolName> = new Set(['ingest', 'imports'])

/**
 * Keeps the connections to workers between transactions. By default, a statement with rows of several shards opens one for each shard and
 * keeps one for each worker: opening took over ten times as long as writing (docs/decisions/050-several-servers.md).
 */
const STORING_SETTINGS = {
  'citus.max_adaptive_executor_pool_size': '1',
  // Rows that may conflict go to workers as results first, which takes connections of its own.
  'citus.max_cached_conns_per_worker': '3',
}

/** What a worker says of rows that it refuses each time, and the SQLSTATE that PostgreSQL gives to it. */
const REFUSALS = [
  [/ violates check constraint /, '23514'],
  [/ violates not-null constraint/, '23502'],
  [/ violates unique constraint /, '23505'],
  [/^(row is too big:|index row (size|requires)) /, '54000'],
] as const

/**
 * Of an error of a worker during COPY, Citus passes on the message alone, as an internal error. A row that no attempt can store would
 * otherwise be tried for ever. An error in another language, or with another message, stays one that is tried again.
 */
function copyError(error: unknown): unknown {
  if (!(error instanceof Error) || sqlState(error) !== INTERNAL_ERROR) return error
  const [, code] = REFUSALS.find(([message]) => message.test(error.message)) ?? []
  return code ? Object.assign(error, { code }) : error
}

/** What TimescaleDB alone understands in migrations: hypertables, their options, and options of continuous aggregates. */
const TIMESCALEDB_STATEMENTS = [
  /^select create_hypertable\([\s\S]*?\);$/gm,
  /^alter table \w+ set \(\s*timescaledb\.[\s\S]*?^\);$/gm,
  /^do \$\$(?:(?!\$\$)[\s\S])*?timescaledb(?:(?!\$\$)[\s\S])*?\$\$;$/gm,
]

function withoutTimescaledb(text: string): string {
  return TIMESCALEDB_STATEMENTS.reduce((rest, statement) => rest.replace(statement, ''), text)
    .replace(/create materialized view (\w+)\s+with \(timescaledb\.continuous[^)]*\)/g, 'create view $1')
    .replace(/drop materialized view /g, 'drop view ')
    .replace(/\s+with no data;/g, ';')
}

/** Returns the files that follow a migration, in order. Tables are made as on one server, and distributed by the last of the first. */
const filesAfter = (migration: string): string[] =>
  readdirSync(join(FOLDER, 'migrations'))
    .filter(file => file.startsWith(migration.replace(/sql$/, '')))
    .sort()
    .map(file => read('migrations', file))

async function checkExtension(db: Db): Promise<void> {
  const [server] = await db<{ version: string; isCoordinator: boolean; workers: number }[]>`
    select
      (select extversion from pg_extension where extname = 'citus') as version,
      (select groupid = 0 from pg_dist_local_group) as "isCoordinator",
      (select count(*)::int from pg_dist_node where isactive and shouldhaveshards) as workers`
  const { version, isCoordinator, workers } = server!
  if (Number.parseInt(version, 10) < 13) {
    throw new Error(
      `DATABASE_URL has Citus ${version}; 13 or newer is needed. Install it and run \`alter extension citus update\`.`,
    )
  }
  if (!isCoordinator) throw new Error('DATABASE_URL is a worker of Citus; it must be the coordinator.')
  if (workers === 0) {
    throw new Error(
      'DATABASE_URL is a coordinator of Citus without workers: add them with `select citus_add_node(…)`.',
    )
  }
}

async function unreachableSites(db: Db): Promise<number[]> {
  const rows = await db.unsafe<{ siteNo: number }[]>(read('unreachable-sites.sql'))
  return rows.map(({ siteNo }) => siteNo)
}
