/** All error codes of the service with their HTTP status; the only such table. */
export const STATUS_OF = {
  malformed_json: 400,
  bad_request: 400,
  bad_signature: 400,
  unauthenticated: 401,
  password_required: 401,
  second_factor_required: 401,
  payment_required: 402,
  forbidden: 403,
  proof_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  preparing: 503,
} as const

export type ErrorCode = keyof typeof STATUS_OF

/** Errors that an endpoint may answer with, each with its condition; `true` where the code needs no explanation. */
export type Refusals = Partial<Record<ErrorCode, string | true>>

/** Error messages by field path (segments joined by dots). */
export type FieldErrors = Record<string, string[]>

/** An error that the service answers with: `message` is for people, `code` for programs. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fields: FieldErrors | undefined
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  readonly retryAfter: number | undefined
  /** Of `preparing`: which share is done, from 0 to 1. */
  readonly share: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { fields?: FieldErrors; retryAfter?: number; share?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fields = options.fields
    this.retryAfter = options.retryAfter
    this.share = options.share
  }
}

/** Seconds, for `unavailable` errors that say no time. */
const RETRY_AFTER = 5

/** Returns the whole seconds after which a retry makes sense; undefined where none does. */
export function retryAfterOf({ code, retryAfter }: AppError): number | undefined {
  const seconds = retryAfter ?? (code === 'unavailable' ? RETRY_AFTER : undefined)
  return seconds && Math.ceil(seconds)
}

/**
 * Returns a 422 error for one field.
 * @param message a sentence, or what is said of the field: `must be …`, `is not …`. The message of the error then begins with its name
 */
export function invalidField(path: string, message: string): AppError {
  return /^(must|is|are) /.test(message)
    ? invalidValue(path, message)
    : new AppError('validation_failed', message, { fields: { [path]: [message] } })
}

/** The same for a message that says which value of the field is wrong: `( is not …`. The message of the error begins with the field. */
export const invalidValue = (path: string, message: string): AppError =>
  new AppError('validation_failed', `${path} ${message}`, { fields: { [path]: [message] } })
