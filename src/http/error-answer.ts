import { type AppError, retryAfterOf, STATUS_OF } from '../platform/errors.ts'
import type { Log } from '../platform/runtime/log.ts'
import { createOutages, type Outages } from '../platform/runtime/outages.ts'

/** Returns the HTTP answer to an error. */
export const errorAnswer = (error: AppError, requestId: string) => ({
  status: STATUS_OF[error.code],
  headers: errorHeaders(error),
  body: {
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.fields && { errors: error.fields }),
    ...(error.share !== undefined && { share: error.share }),
  },
})

/** Returns the headers of an error answer; they are the same for REST and tRPC. */
export function errorHeaders(error: AppError): Record<string, string> {
  if (STATUS_OF[error.code] === 401) return { 'WWW-Authenticate': 'Bearer' }
  const seconds = retryAfterOf(error)
  return seconds === undefined ? {} : { 'Retry-After': String(seconds) }
}

/** What each log says about requests that could not be served. */
const outages = new WeakMap<Log, Outages>()

function outagesOf(log: Log): Outages {
  const known = outages.get(log) ?? createOutages(log, 'requests could not be served')
  outages.set(log, known)
  return known
}

/** Logs failures of the service. Errors of callers are only in the request log. */
export function logFailure(log: Log, error: AppError, requestId: string): void {
  if (error.code === 'internal') log.error({ requestId, error: error.cause ?? error }, 'request failed')
  if (error.code === 'unavailable') {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    outagesOf(log).failed(reason, { requestId })
  }
}
