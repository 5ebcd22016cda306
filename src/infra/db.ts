import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { projectRoot } from '../config.ts'
import { AppError } from '../errors.ts'
import { abandonable } from './abandon.ts'

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

const texts = new Map<string, string>()

/** Returns the text of `sql/queries/{name}.sql`. */
export function queryText(name: string): string {
  let text = texts.get(name)
  if (text === undefined) {
    text = readFileSync(join(projectRoot, 'sql', 'queries', `${name}.sql`), 'utf8')
    texts.set(name, text)
  }
  return text
}

/** Returns the comment at the head of a statement that names it in the server's logs. */
export const nameComment = (name: string): string => `/* ${name} */`

/**
 * Returns the statement of `sql/queries/{name}.sql` as a function of its parameters, in the order of $1, $2, …
 * The statement is prepared once per connection.
 */
export function statement<Row extends object>(name: string) {
  return (db: Queryable, ...parameters: unknown[]): Promise<Row[]> =>
    abandonable(
      db.unsafe<Row[]>(
        `${nameComment(name)}\n${queryText(name)}`,
        parameters as postgres.ParameterOrJSON<never>[],
        { prepare: true },
      ),
    )
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

/** Error codes of the driver for an unreachable server. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** SQLSTATE of a server that cannot work now. A code outside of this and the next two classes needs a person's attention. */
const UNAVAILABLE = /^(08|57P|58|53[0-3]00$)/
/** Deadlock, serialization failure, and the time limits of locks, statements and (idle) transactions. */
const RETRYABLE = /^(40|55P03|57014|25P0[34])/
/** Data exception, integrity violation, exceeded limit of rows and values. */
const DATA = /^(22|23|54)/

/** Returns the SQLSTATE or driver code of a failed statement; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/**
 * Returns true when the server cannot take the statement now (unreachable, starting, shutting down, out of memory, disk or
 * connections). A later retry makes sense, and the data is not at fault.
 */
export function isUnavailable(error: unknown): boolean {
  const code = sqlState(error)
  // ENOENT of a missing file does not mean an unreachable server.
  if (code === 'ENOENT') return (error as NodeJS.ErrnoException).syscall === 'connect'
  return code !== undefined && (CONNECTION_CODES.has(code) || UNAVAILABLE.test(code))
}

/** Returns true when the same transaction can succeed if it runs again soon. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.test(sqlState(error) ?? '')
}

/**
 * Returns true when the values are at fault, so that the statement fails each time it runs: by its SQLSTATE, or because the
 * driver could not send the values.
 */
export function isDataFault(error: unknown): boolean {
  const code = sqlState(error)
  if (code === undefined) return error instanceof Error
  return /^[0-9A-Z]{5}$/.test(code) ? DATA.test(code) : !CONNECTION_CODES.has(code)
}

/** SQLSTATE of a statement that exceeded its time limit. */
const QUERY_CANCELED = '57014'

/** SQLSTATE of a value that the server cannot build: it exceeds the limit of arrays and texts, or of one allocation. */
const LIMIT_EXCEEDED = '54000'
const INTERNAL_ERROR = 'XX000'
const TOO_LARGE = /^invalid memory alloc request size \d+/
/** Messages of the same SQLSTATE for a row that is too large to be stored. */
const ROW_TOO_LARGE = /^(index row|row is too big)/

/**
 * Returns true when the result of a read exceeds what the server can hold at once, such as an array of too many hits. Rows
 * that are too large to be stored do not count: `isDataFault` covers them.
 */
function isAnswerTooLarge(error: unknown): boolean {
  const state = sqlState(error)
  const message = error instanceof Error ? error.message : ''
  return (
    (state === LIMIT_EXCEEDED && !ROW_TOO_LARGE.test(message)) ||
    (state === INTERNAL_ERROR && TOO_LARGE.test(message))
  )
}

/**
 * Translates errors of a database that is unreachable, too slow, or asked for too much.
 * @returns AppError `unavailable` for these errors; any other error unchanged
 */
export function translateDbError(error: unknown): unknown {
  if (sqlState(error) === QUERY_CANCELED) {
    return new AppError(
      'unavailable',
      'The database took too long: ask for a shorter range or with fewer filters, or try again later',
      { retryAfter: 5, cause: error },
    )
  }
  if (isAnswerTooLarge(error)) {
    return new AppError(
      'unavailable',
      'The answer takes more memory than the database has: ask for a shorter range or for fewer hits',
      { retryAfter: 5, cause: error },
    )
  }
  if (!isUnavailable(error) && !isRetryable(error)) return error
  return new AppError('unavailable', 'The database cannot answer now; try again shortly', {
    retryAfter: 2,
    cause: error,
  })
}
