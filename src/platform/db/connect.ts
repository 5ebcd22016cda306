import postgres from 'postgres'
import { databaseAddress } from '../config/database-address.ts'
import { addArrayTypes } from './array-types.ts'
import { dialect } from './dialects/chosen-dialect.ts'
import { POOL_SETTINGS, type PoolName } from './pool-settings.ts'
import { socketToPrimary } from './primary.ts'
import type { Db, Queryable, Transaction } from './queryable.ts'
import { type Closings, endWithConnections } from './transactions.ts'
import { noticeUnreplicated } from './unreplicated.ts'

export type { Db, Queryable, Transaction } from './queryable.ts'

const CONNECT_WITHIN_S = 5

/**
 * Returns a pool of connections, which connects on first use.
 * Timestamps are returned as Date, `bigint` as an exact number.
 * @param options.max most connections at once
 * @param options.pool its sessions have the settings of this pool
 * @param options.settings further session settings by their PostgreSQL names; PgBouncer drops them
 * @param options.prepare false where a plan must know the actual values
 * @param options.connectWithin longest time until a new connection is there, seconds
 */
export function connectDb(
  url: string,
  options: {
    max: number
    name: string
    pool?: PoolName
    settings?: Record<string, string>
    prepare?: boolean
    connectWithin?: number
    debug?: (connection: number, text: string, parameters: unknown[]) => void
  },
): Db {
  const { urls, isPgBouncer } = databaseAddress(url)
  const address = clientOptions(urls[0]!)
  const settings = { ...(options.pool && POOL_SETTINGS[options.pool]), ...options.settings }
  const closings: Closings = { count: 0 }
  const sql = postgres(address.url, {
    ...(address.host && { host: address.host }),
    ...(urls.length > 1 && { socket: socketToPrimary(urls) }),
    ...(isPgBouncer && options.pool && { database: entryOf(urls[0]!, options.pool) }),
    max: options.max,
    // A statement that is prepared on one connection of PgBouncer's is unknown on the next.
    prepare: !isPgBouncer && (options.prepare ?? true),
    ...(options.debug && { debug: options.debug }),
    connect_timeout: options.connectWithin ?? CONNECT_WITHIN_S,
    idle_timeout: 0,
    fetch_types: false,
    onnotice: noticeUnreplicated,
    onclose: () => {
      closings.count++
    },
    connection: {
      application_name: options.name,
      // PgBouncer refuses other parameters: its entry for the pool sets them.
      ...(!isPgBouncer && {
        client_min_messages: 'warning',
        ...dialect().sessionSettings(settings, options.pool),
      }),
    },
    types: { bigint: { to: 20, from: [20], serialize: String, parse: exactNumber } },
  })
  addArrayTypes(sql)
  return endWithConnections(sql, closings)
}

/** Returns the name of the pool's entry in the section `[databases]` of PgBouncer. */
const entryOf = (url: string, pool: PoolName): string =>
  `${decodeURIComponent(new URL(url).pathname.slice(1))}-${pool}`

/**
 * Returns a pool for reads of statistics. No statement is prepared: each is planned with its actual values, so that the plan leaves out
 * chunks outside of the range.
 * @param options.debug called with every statement and its parameters
 */
export function connectReads(
  url: string,
  options: { max: number; debug?: (connection: number, text: string, parameters: unknown[]) => void },
): Db {
  return connectDb(url, {
    max: options.max,
    name: 'analytics-reads',
    prepare: false,
    ...(options.debug && { debug: options.debug }),
    pool: 'reads',
  })
}

/**
 * Returns the options with which postgres.js connects to a URL. Unlike libpq, postgres.js does not read the folder of a
 * socket from `?host=` and would send the parameter to the server. Any other URL is returned unchanged.
 */
export function clientOptions(url: string): { url: string; host?: string } {
  const parsed = new URL(url)
  const host = parsed.searchParams.get('host')
  if (!host) return { url }
  parsed.searchParams.delete('host')
  return { url: parsed.href, host }
}

function exactNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond exact numbers`)
  return value
}

/** Runs statements in a transaction; uses the current transaction if `db` is one. */
export function inTransaction<Result>(
  db: Queryable,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return 'savepoint' in db ? run(db) : (db.begin(run) as Promise<Result>)
}

/** Runs reads that all see the same snapshot of the database. */
export function inSnapshot<Result>(db: Db, read: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return db.begin('isolation level repeatable read read only', read) as Promise<Result>
}
