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

// ioredis says most of this in words only.
const REDIS_AWAY =
  /^(Stream isn't writeable|Connection is closed|Command timed out|Reached the max retries per request|(LOADING|READONLY|MASTERDOWN|OOM|MISCONF|CLUSTERDOWN) )/

function isRedisAway(error: unknown): boolean {
  return (
    error instanceof Error && (error.name === 'MaxRetriesPerRequestError' || REDIS_AWAY.test(error.message))
  )
}
