import { AppError } from '../errors.ts'

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

const QUERY_CANCELED = '57014'

/** Returns true for a statement that was ended, such as by its time limit. */
export const isCanceled = (error: unknown): boolean => sqlState(error) === QUERY_CANCELED

/** SQLSTATE of a value that the server cannot build: it exceeds the limit of arrays and texts, or of one allocation. */
const LIMIT_EXCEEDED = '54000'
export const INTERNAL_ERROR = 'XX000'
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
  if (isCanceled(error)) {
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
