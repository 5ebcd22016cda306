import { type TRPC_ERROR_CODE_KEY, TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { z } from 'zod'
import { AppError, type ErrorCode, retryAfterOf, STATUS_OF } from '../platform/errors.ts'
import { asAppError } from '../platform/runtime/failures.ts'
import { validationError } from '../platform/schema/validation.ts'
import { runningRequest } from './context.ts'

const PROTOCOL_NAMES: Record<ErrorCode, TRPC_ERROR_CODE_KEY> = {
  malformed_json: 'PARSE_ERROR',
  bad_request: 'BAD_REQUEST',
  bad_signature: 'BAD_REQUEST',
  unauthenticated: 'UNAUTHORIZED',
  password_required: 'UNAUTHORIZED',
  second_factor_required: 'UNAUTHORIZED',
  payment_required: 'PAYMENT_REQUIRED',
  forbidden: 'FORBIDDEN',
  proof_required: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_SUPPORTED',
  request_timeout: 'TIMEOUT',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_media_type: 'UNSUPPORTED_MEDIA_TYPE',
  validation_failed: 'UNPROCESSABLE_CONTENT',
  rate_limited: 'TOO_MANY_REQUESTS',
  internal: 'INTERNAL_SERVER_ERROR',
  unavailable: 'SERVICE_UNAVAILABLE',
  preparing: 'SERVICE_UNAVAILABLE',
}

/** Our error for each code with which tRPC itself refuses a request. */
const REFUSALS: Partial<Record<TRPC_ERROR_CODE_KEY, () => AppError>> = {
  PARSE_ERROR: () => new AppError('malformed_json', 'The input is not valid JSON'),
  BAD_REQUEST: () => new AppError('bad_request', 'The request is not a tRPC call this service understands'),
  NOT_FOUND: () => new AppError('not_found', 'No such procedure'),
  METHOD_NOT_SUPPORTED: () =>
    new AppError('method_not_allowed', 'Queries are called with GET, mutations with POST'),
  PAYLOAD_TOO_LARGE: () => new AppError('payload_too_large', 'The body is too large'),
  UNSUPPORTED_MEDIA_TYPE: () => new AppError('unsupported_media_type', 'Send the input as application/json'),
}

/** Converts any error of a procedure or of tRPC to an `AppError`. */
export function fromProcedure(error: unknown): AppError {
  if (!(error instanceof TRPCError)) return asAppError(error)
  const { cause } = error
  if (cause instanceof AppError) return cause
  if (error.code === 'BAD_REQUEST') {
    if (cause instanceof z.core.$ZodError) return validationError(cause)
    if (cause instanceof SyntaxError)
      return runningRequest.getStore()?.inputProblem ?? REFUSALS.PARSE_ERROR!()
  }
  const refusal = REFUSALS[error.code]
  if (refusal) return refusal()
  return asAppError(cause ?? error)
}

/**
 * Returns the error of a tRPC answer. `data` has the fields of a REST error body, the HTTP status, and as `retry_after` the seconds of
 * `Retry-After`: a batch has one header for all its calls.
 */
export function errorShape(error: AppError, requestId: string) {
  const seconds = retryAfterOf(error)
  return {
    message: error.message,
    code: TRPC_ERROR_CODES_BY_KEY[PROTOCOL_NAMES[error.code]],
    data: {
      httpStatus: STATUS_OF[error.code] as number,
      message: error.message,
      code: error.code,
      request_id: requestId,
      ...(error.fields && { errors: error.fields }),
      ...(error.share !== undefined && { share: error.share }),
      ...(seconds !== undefined && { retry_after: seconds }),
    },
  }
}
