import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { query } from '../../src/platform/db/query.ts'
import { benchCommand, withCleanup } from './command.ts'
import { isEmbedded, startService, type Target } from './service.ts'
import { figure, formatTable, machineLine } from './table.ts'

// What the data takes on disk, by table and for each hit: of a database that `bench:seed` has filled, or of any other.

/** Tables with all that belongs to them, such as indexes and chunks. */
const sizesOfTables = query<void, { name: string; bytes: number }>(
  'bench-sizes-of-tables',
  `select coalesce(user_view_name, table_name)::text as name,
    hypertable_size(format('%I.%I', schema_name, table_name)::regclass)::bigint as bytes
  from _timescaledb_catalog.hypertable
  left join _timescaledb_catalog.continuous_agg on mat_hypertable_id = hypertable.id
  where compression_state <> 2
  union all
  select relname::text, pg_total_relation_size(pg_class.oid)
  from pg_class
  join pg_namespace on pg_namespace.oid = relnamespace and nspname = 'public'
  left join _timescaledb_catalog.hypertable on schema_name = 'public' and table_name = relname
  where relkind = 'r' and hypertable.id is null`,
)

const sizeOfAll = query<void, { hits: number; database: number; log: number }>(
  'bench-size-of-all',
  `select
    (select count(*) from events) + (select count(*) from web_vitals) as hits,
    pg_database_size(current_database()) as database,
    (select sum(size) from pg_ls_waldir())::bigint as log`,
)

/** Tables that have a line of their own. */
const SHOWN = 14
const MIB = 2 ** 20

await withCleanup(async () => {
  const target = benchCommand('disk', 'measures what the data of a database takes on disk')
    .parse()
    .opts<Target>()
  if (target.data === undefined) throw new Error('say of what: --data postgres://… or --data <folder>')
  const service = await startService(target, { HTTP_WORKERS: '1' })
  const [all] = await sizeOfAll(service.db)
  const tables = (await sizesOfTables(service.db)).sort((a, b) => b.bytes - a.bytes)
  await service.stop()
  const { hits, database, log } = all!
  const shown = tables.slice(0, SHOWN)
  const rest = database - shown.reduce((sum, { bytes }) => sum + bytes, 0)
  const redis = isEmbedded(target) ? bytesIn(join(resolve(target.data), 'redis')) : undefined
  const lines: [string, number][] = [
    ...shown.map(({ name, bytes }): [string, number] => [name, bytes]),
    ['the other tables, and the catalogue', rest],
    ['the database', database],
    ['write-ahead log of the server', log],
    ...(redis === undefined ? [] : [['files of Redis', redis] satisfies [string, number]]),
  ]
  process.stdout.write(
    `${machineLine(new Date())}\n${figure(hits)} hits, engagement and web vitals among them\n\n` +
      `${formatTable(
        ['on disk', 'MiB', 'bytes a hit'],
        lines.map(([name, bytes]) => [name, figure(bytes / MIB), figure(bytes / hits)]),
      )}\n`,
  )
})

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
