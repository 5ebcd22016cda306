import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { projectRoot } from '../config.ts'
import { AppError } from '../errors.ts'
import { abandonable } from './abandon.ts'

export type Db = postgres.Sql<{ bigint: number }>
export type Transaction = postgres.TransactionSql<{ bigint: number }>
/** Where a statement can run: a pool, or inside a transaction. */
export type Queryable = Db | Transaction

/**
 * A pool of connections. Connects on first use.
 * Timestamps come back as Date, `bigint` as an exact number.
 * @param options.max most connections at once
 * @param options.settings of the session, by their PostgreSQL names
 * @param options.prepare false where statements are composed, so that each would be prepared for one use
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
 * A pool for statements that are composed for one request: there is a text for every combination of filters, so none is
 * prepared, and each is planned for the values at hand.
 * @param options.debug told of every statement, with its parameters
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
      // Callers are answered after ten seconds whatever happens.
      statement_timeout: '9s',
      work_mem: '32MB',
      // Compiling such statements takes longer than running them.
      jit: 'off',
      // On rows that were never analysed the planner takes a list of sessions for a row or two, and compares every session with
      // every entry: 50,000 hits kept the embedded database busy for minutes. Statements that look rows up one by one, by
      // an index, say so with `lateral`.
      enable_nestloop: 'off',
    },
  })
}

/**
 * What postgres.js needs to connect to a URL: it does not look for a socket's folder in `?host=`, as libpq does, and
 * would send the parameter on to the server. Any other URL comes back as it is.
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

/** What `sql/queries/{name}.sql` says. */
export function queryText(name: string): string {
  let text = texts.get(name)
  if (text === undefined) {
    text = readFileSync(join(projectRoot, 'sql', 'queries', `${name}.sql`), 'utf8')
    texts.set(name, text)
  }
  return text
}

/** Says at the head of a statement which it is, for logs of the server. */
export const nameComment = (name: string): string => `/* ${name} */`

/**
 * The statement of `sql/queries/{name}.sql` as a function of its parameters, in the order of $1, $2, …
 * It is prepared once a connection.
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

/** Runs statements in a transaction: in the one that runs, if there is one. */
export function inTransaction<Result>(
  db: Queryable,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return 'savepoint' in db ? run(db) : (db.begin(run) as Promise<Result>)
}

/** Runs reads that all see the database at one moment. */
export function inSnapshot<Result>(db: Db, read: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return db.begin('isolation level repeatable read read only', read) as Promise<Result>
}

/** What the driver calls a server that is away. */
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

/** Classes of SQLSTATE by what makes sense after them; what stands in none of them waits for somebody to look. */
const UNAVAILABLE = /^(08|57P|58|53[0-3]00$)/
/** Deadlock, serialization failure, lock or statement time limit, a transaction that was cut off for idling. */
const RETRYABLE = /^(40|55P03|57014|25P0[34])/
/** Data exception, integrity violation, a limit of rows and values. */
const DATA = /^(22|23|54)/

/** SQLSTATE or driver code of a failed statement, undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/**
 * True when the server could not take the statement now (away, starting, shutting down, out of memory, disk or
 * connections), so that trying again later makes sense and nothing is wrong with the data.
 */
export function isUnavailable(error: unknown): boolean {
  const code = sqlState(error)
  // A file that is missing is no server that is away.
  if (code === 'ENOENT') return (error as NodeJS.ErrnoException).syscall === 'connect'
  return code !== undefined && (CONNECTION_CODES.has(code) || UNAVAILABLE.test(code))
}

/** True when the same transaction would succeed if run again soon. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.test(sqlState(error) ?? '')
}

/**
 * True when the values are at fault, so that the same statement fails whenever it is run: by its SQLSTATE, or because
 * the driver could not even send them.
 */
export function isDataFault(error: unknown): boolean {
  const code = sqlState(error)
  if (code === undefined) return error instanceof Error
  return /^[0-9A-Z]{5}$/.test(code) ? DATA.test(code) : !CONNECTION_CODES.has(code)
}

/** A statement was cut off by its time limit. */
const QUERY_CANCELED = '57014'

/** A value that is larger than the server makes any: the limit of arrays and texts, or of one allocation. */
const LIMIT_EXCEEDED = '54000'
const INTERNAL_ERROR = 'XX000'
const TOO_LARGE = /^invalid memory alloc request size \d+/
/** The other limit of the same state: of what is to be stored. */
const ROW_TOO_LARGE = /^(index row|row is too big)/

/**
 * True when a read came to more than the server can hold at once, as an array of too many hits. What is to be stored is none
 * of it, and is judged by `isDataFault`.
 */
function isAnswerTooLarge(error: unknown): boolean {
  const state = sqlState(error)
  const message = error instanceof Error ? error.message : ''
  return (
    (state === LIMIT_EXCEEDED && !ROW_TOO_LARGE.test(message)) ||
    (state === INTERNAL_ERROR && TOO_LARGE.test(message))
  )
}

/** @returns AppError `unavailable` in place of what a database throws that is away, too slow, or asked for too much */
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
