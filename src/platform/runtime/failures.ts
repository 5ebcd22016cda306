import { translateDbError } from '../db/database-errors.ts'
import { AppError } from '../errors.ts'

/**
 * Translates any error for a caller. An unreachable database or Redis becomes `unavailable`. An unexpected error
 * becomes `internal`, with a message that reveals no details and the error itself as the cause.
 */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const translated = translateDbError(error)
  if (translated instanceof AppError) return translated
  if (isRedisAway(error)) {
    return new AppError('unavailable', 'The queue cannot answer now; try again shortly', {
      retryAfter: 2,
      cause: error,
    })
  }
  return new AppError('internal', 'Something went wrong on our side', { cause: error })
}

// ioredis gives these errors no code, only a message. A `ReplyError` means that Redis refuses a command at this moment.
const REDIS_AWAY =
  /^(Stream isn't writeable|Command aborted due to connection close|Cluster isn't ready|Cluster is ended|Too many Cluster redirections|Failed to refresh slots cache|Connection is closed|Command timed out|Socket timeout|Reached the max retries per request|the queue did not confirm)/

function isRedisAway(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'MaxRetriesPerRequestError' ||
      error.name === 'ReplyError' ||
      REDIS_AWAY.test(error.message))
  )
}
