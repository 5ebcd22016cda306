import type { Queryable } from './queryable.ts'
import type { TableName } from './tables.ts'

/** Rows that are surely missing: the table, and the times between which. */
interface Gap {
  table: string
  from: string
  to: string
}

/** Of each table with chunks, whether other tables know of rows that an empty chunk should have, between $1 and $2. */
const KNOWN_ROWS: Partial<Record<TableName | 'hits_15m' | 'revenue_15m', string>> = {
  events: `select from sessions where started_at >= $1 and started_at < $2 and not exists (
    select from events where events.site_no = sessions.site_no and events.session_no = sessions.session_no
      and events.at between sessions.first_at and sessions.last_at)`,
  sessions: `select from events where at >= $1 and at < $2 and session_no is not null and not exists (
    select from sessions where sessions.site_no = events.site_no and sessions.session_no = events.session_no
      and sessions.started_at = events.session_at)`,
  revenue: `select from payments where paid_at >= $1 and paid_at < $2 and not exists (
    select from revenue where revenue.site_no = payments.site_no and revenue.at = payments.paid_at
      and revenue.payment_id = payments.id)`,
  hits_15m: countedRows('events', 'at', 'hits'),
  revenue_15m: countedRows('revenue', 'at', 'revenue'),
}

/** Rows that a continuous aggregate must have counted: before its watermark, in buckets that wait for no refresh. */
function countedRows(source: TableName, time: string, aggregate: string): string {
  return `select from ${source} where ${time} >= $1 and ${time} < $2
    and ${time} < (select refreshed_to from watermarks where aggregate = '${aggregate}')
    and not exists (select from dirty_buckets where aggregate = '${aggregate}' and dirty_buckets.site_no = ${source}.site_no
      and bucket = time_bucket('15 minutes', ${time}))`
}

/**
 * Refuses a database that a restore has left incomplete. `pg_restore` alone goes on after it could not restore the rows of a chunk, and
 * TimescaleDB answers reads of what is left.
 * @throws Error that says what is missing and what helps
 */
export async function requireWhole(db: Queryable): Promise<void> {
  const [state] = await db<{ restoring: string | null; tables: string[] }[]>`
    select
      current_setting('timescaledb.restoring', true) as restoring,
      array(
        select name from unnest(${Object.keys(KNOWN_ROWS)}::text[]) as name
        where to_regclass(name) is not null
          and not exists (select from timescaledb_information.hypertables where hypertable_name = name and hypertable_schema = 'public')
          and not exists (select from timescaledb_information.continuous_aggregates where view_name = name and view_schema = 'public')
      ) as tables`
  const hint =
    'It was restored in part, or without timescaledb_pre_restore() and timescaledb_post_restore(). ' +
    'Restore the backup again into an empty database as docs/operations.md says ("Back up and restore"). Nothing was changed.'
  if (state!.restoring === 'on') {
    throw new Error(
      'DATABASE_URL is still being restored. When pg_restore has ended without an error, run `select timescaledb_post_restore()`.',
    )
  }
  if (state!.tables.length > 0) {
    throw new Error(
      `DATABASE_URL is not whole: TimescaleDB does not know ${state!.tables.join(', ')} as its own. ${hint}`,
    )
  }
  const gaps = await findGaps(db)
  if (gaps.length > 0) {
    const list = gaps.map(({ table, from, to }) => `${table} from ${from} to ${to}`).join(', ')
    throw new Error(`DATABASE_URL is not whole: rows are missing in ${list}. ${hint}`)
  }
}

async function findGaps(db: Queryable): Promise<Gap[]> {
  const lost = await db<{ name: string }[]>`
    select chunk.table_name as name from _timescaledb_catalog.chunk as chunk
    where to_jsonb(chunk) ->> 'dropped' is distinct from 'true'
      and to_regclass(format('%I.%I', chunk.schema_name, chunk.table_name)) is null`
  const gaps: Gap[] = lost.map(({ name }) => ({ table: name, from: 'its first row', to: 'its last' }))
  for (const { table, from, to } of [...(await emptyChunks(db)), ...(await missingChunks(db))]) {
    const known = KNOWN_ROWS[table as keyof typeof KNOWN_ROWS]
    if (known === undefined) continue
    const [row] = await db.unsafe(`select exists (${known}) as is_known`, [from, to])
    if (row!.is_known) gaps.push({ table, from, to })
  }
  return gaps
}

/** Chunks that are looked into by one statement: planning more of them takes longer than asking again. */
const AT_ONCE = 100

/** Returns the chunks without a row: all of them were deleted, or none were restored. A COPY that failed leaves pages without rows. */
async function emptyChunks(db: Queryable): Promise<Gap[]> {
  const chunks = await db<(Gap & { relation: string })[]>`
    select
      coalesce(view_name, chunks.hypertable_name) as table,
      to_char(range_start at time zone 'UTC', ${ISO}) as "from",
      to_char(range_end at time zone 'UTC', ${ISO}) as "to",
      format('%I.%I', chunk_schema, chunk_name) as relation
    from timescaledb_information.chunks
    left join timescaledb_information.continuous_aggregates on materialization_hypertable_name = chunks.hypertable_name
    where coalesce(view_name, chunks.hypertable_name) = any(${Object.keys(KNOWN_ROWS)})
    order by 1, 2`
  const empty: Gap[] = []
  for (let start = 0; start < chunks.length; start += AT_ONCE) {
    const some = chunks.slice(start, start + AT_ONCE)
    const texts = some.map(
      ({ relation }, index) => `select ${index} as index where not exists (select from ${relation})`,
    )
    const rows = await db.unsafe<{ index: number }[]>(texts.join(' union all '))
    for (const { index } of rows) empty.push(some[index]!)
  }
  return empty
}

const ISO = 'YYYY-MM-DD"T"HH24:MI:SS"Z"'

/** Returns times for which there are hits and no chunk of sessions, or sessions and no chunk of hits. */
const missingChunks = (db: Queryable) => db<Gap[]>`
  select
    pair.name as table,
    to_char(range_start at time zone 'UTC', ${ISO}) as "from",
    to_char(range_end at time zone 'UTC', ${ISO}) as "to"
  from (values ('events', 'sessions'), ('sessions', 'events')) as pair (name, partner)
  join timescaledb_information.chunks on hypertable_name = pair.partner
  where not exists (
    select from timescaledb_information.chunks as own
    where own.hypertable_name = pair.name
      and own.range_start < chunks.range_end and own.range_end > chunks.range_start)
  order by 1, 2`
