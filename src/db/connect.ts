import postgres from 'postgres'

export type Db = postgres.Sql<{ bigint: number }>
export type Transaction = postgres.TransactionSql<{ bigint: number }>
/** A pool or a transaction: both run statements. */
export type Queryable = Db | Transaction

/**
 * Returns a pool of connections, which connects on first use.
 * Timestamps are returned as Date, `bigint` as an exact number.
 * @param options.max most connections at once
 * @param options.settings session settings by their PostgreSQL names
 * @param options.prepare false for composed statements, since each would be prepared for a single use
 */
export function connectDb(
  url: string,
  options: {
    max: number
    name: string
    settings?: Record<string, string>
    prepare?: boolean
    debug?: (connection: number, text: string, parameters: unknown[]) => void
  },
): Db {
  const address = clientOptions(url)
  return postgres(address.url, {
    ...(address.host && { host: address.host }),
    max: options.max,
    prepare: options.prepare ?? true,
    ...(options.debug && { debug: options.debug }),
    connect_timeout: 5,
    idle_timeout: 0,
    onnotice: () => {},
    connection: { application_name: options.name, client_min_messages: 'warning', ...options.settings },
    types: { bigint: { to: 20, from: [20], serialize: String, parse: exactNumber } },
  })
}

/**
 * Returns a pool for statements that are composed for one request. Every combination of filters gives another text, so no
 * statement is prepared, and each is planned with its actual values.
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
    settings: {
      // A caller gets an answer after at most ten seconds.
      statement_timeout: '9s',
      work_mem: '32MB',
      // JIT compilation of such statements takes longer than running them.
      jit: 'off',
      // On rows that were never analysed, the planner expects one or two rows in a list of sessions and compares every session
      // with every entry: 50,000 hits kept the embedded database busy for minutes. Statements that look up single rows by an
      // index use `lateral`.
      enable_nestloop: 'off',
    },
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
