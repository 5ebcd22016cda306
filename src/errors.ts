/** Every error code the service answers with, and its HTTP status. The only such table. */
export const STATUS_OF = {
  malformed_json: 400,
  bad_request: 400,
  bad_signature: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation_failed: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof STATUS_OF

/** The errors something answers with, each with when it does; `true` where there is nothing particular to say. */
export type Refusals = Partial<Record<ErrorCode, string | true>>

/** Field path (dots between segments) to what is wrong with it. */
export type FieldErrors = Record<string, string[]>

/** Everything the service refuses, said once for people (`message`) and once for programs (`code`). */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fields: FieldErrors | undefined
  /** Seconds after which trying again makes sense; sent as `Retry-After`. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { fields?: FieldErrors; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fields = options.fields
    this.retryAfter = options.retryAfter
  }
}

/** A 422 that names one field. */
export function invalidField(path: string, message: string): AppError {
  return new AppError('validation_failed', message, { fields: { [path]: [message] } })
}
