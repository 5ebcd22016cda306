import { AppError } from '../errors.ts'
import { translateDbError } from './db.ts'

/**
 * What an error means to a caller. Databases and Redis that are away become `unavailable`; whatever nobody
 * foresaw becomes `internal`, with a message that gives nothing away and the error itself as the cause.
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

// ioredis says this in words only. Whatever Redis itself refuses (`ReplyError`), it cannot do now.
const REDIS_AWAY =
  /^(Stream isn't writeable|Connection is closed|Command timed out|Socket timeout|Reached the max retries per request|the queue did not confirm)/

function isRedisAway(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'MaxRetriesPerRequestError' ||
      error.name === 'ReplyError' ||
      REDIS_AWAY.test(error.message))
  )
}
