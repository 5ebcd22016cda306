import { type ErrorCode, type Refusals, STATUS_OF } from '../../platform/errors.ts'
import type { Json } from './schemas.ts'

const CODES = Object.keys(STATUS_OF) as ErrorCode[]

/** Default description of each error code, also the message of its example. */
const USUALLY: Record<ErrorCode, string> = {
  malformed_json: 'The body is not valid JSON',
  bad_request: 'The request breaks off, or its path or body cannot be decoded',
  bad_signature: 'The signature does not fit the body',
  unauthenticated: 'The token is missing, malformed, unknown, expired or revoked',
  second_factor_required: 'The password is right; the code of the second factor is missing',
  password_required: 'The share has a password',
  payment_required: 'The team has no active plan and no running trial',
  forbidden: 'The token may not do this',
  proof_required: 'The last proof of who the person is, is older than 12 hours',
  not_found: 'There is no such thing within the reach of the token',
  method_not_allowed: 'The route has other methods; Allow names them',
  request_timeout: 'The request did not come in time',
  payload_too_large: 'The body is larger than 256 KiB, as it comes or unpacked',
  unsupported_media_type: 'The content encoding must be gzip, deflate or br',
  validation_failed: 'Something in the request is not as it must be; errors names each field',
  rate_limited: 'More requests than the limit allows; try again when the minute is over',
  internal: 'Something went wrong on our side',
  unavailable: 'The database or the queue cannot answer now; try again after Retry-After',
  preparing:
    'The answer is being prepared from the hits of the range; the message says which share is done. Try again after Retry-After',
}

const errorFields = {
  message: { type: 'string', description: 'For people; it may change.' },
  code: { type: 'string', enum: CODES, description: 'For programs: it does not change in later versions.' },
  request_id: {
    type: 'string',
    description: 'The `X-Request-Id` of the answer, by which the log knows the request.',
  },
}

export const errorSchemas: Record<string, Json> = {
  Error: {
    type: 'object',
    properties: {
      ...errorFields,
      share: { type: 'number', description: 'Of `preparing`: which share is done.', minimum: 0, maximum: 1 },
    },
    required: ['message', 'code', 'request_id'],
    additionalProperties: false,
  },
  ValidationError: {
    type: 'object',
    properties: {
      ...errorFields,
      code: {
        const: 'validation_failed',
        description: 'For programs: it does not change in later versions.',
      },
      errors: {
        type: 'object',
        description: 'Path of a field, with dots between its segments, to what is wrong with it.',
        additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
      },
    },
    required: ['message', 'code', 'request_id', 'errors'],
    additionalProperties: false,
  },
}

const header = (description: string, schema: Json, required = false): Json => ({
  description,
  ...(required && { required }),
  schema,
})
const whole = { type: 'integer', minimum: 0 }

export const headers = {
  'X-Request-Id': header(
    "The request's own `X-Request-Id` if that is 8 to 64 letters, digits, - and _, else a new UUID.",
    { type: 'string' },
    true,
  ),
  'X-RateLimit-Limit': header('Requests a minute. Absent where the limit is turned off.', whole),
  'X-RateLimit-Remaining': header('Requests that are left in the running minute.', whole),
  'X-RateLimit-Reset': header('When the running minute ends, in Unix seconds.', whole),
  'X-Ignored-Parameters': header('Query parameters of the request that mean nothing to this route.', {
    type: 'string',
  }),
  'X-Details-From': header(
    'The range begins before this time, and details before it are gone: filters and lists begin there.',
    { type: 'string', format: 'date-time' },
  ),
  'X-Hit-Dropped': header('Why the hit, though answered 202, is not recorded.', {
    type: 'string',
    enum: ['bot', 'reserved_name'],
  }),
  'X-Tracker': header('The settings that the tracker script obeys.', {
    type: 'string',
    examples: ['mode=cookieless, errors=0'],
  }),
  'Retry-After': header(
    'Seconds after which trying again makes sense.',
    { type: 'integer', minimum: 1 },
    true,
  ),
  'WWW-Authenticate': header('How to authenticate.', { const: 'Bearer' }, true),
  'Cache-Control': header('For how long the answer may be kept.', { type: 'string' }),
  ETag: header('Send it as `If-None-Match`: 304 when nothing changed.', { type: 'string' }),
  Location: header('Path of what was made.', { type: 'string' }, true),
} satisfies Record<string, Json>

type HeaderName = keyof typeof headers

export const RATE_HEADERS: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

export function headersOf(...names: HeaderName[]): Json {
  return Object.fromEntries(
    ['X-Request-Id', ...names].map(name => [name, { $ref: `#/components/headers/${name}` }]),
  )
}

/**
 * Returns the error answers by status, with an example for each code.
 * @param options.isOpen the operation needs no token: its 401 is about something else, and the request was charged
 */
export function refusalAnswers(
  refusals: Refusals,
  more: HeaderName[] = [],
  { isOpen = false }: { isOpen?: boolean | undefined } = {},
): Record<string, Json> {
  const codes = CODES.filter(code => refusals[code] !== undefined)
  const saying = codes.map(code => ({
    code,
    text: refusals[code] === true ? USUALLY[code] : refusals[code]!,
  }))
  const answers: Record<string, Json> = {}
  for (const status of new Set(codes.map(code => STATUS_OF[code]))) {
    const said = saying.filter(({ code }) => STATUS_OF[code] === status)
    answers[status] = {
      description: said.map(({ code, text }) => `\`${code}\`: ${text}.`).join('\n\n'),
      headers: headersOf(
        ...errorHeaderNames(status),
        // A request without a valid token is not charged, so its answer has no rate headers.
        ...more.filter(name => isOpen || status !== 401 || !RATE_HEADERS.includes(name)),
      ),
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${status === 422 ? 'ValidationError' : 'Error'}` },
          examples: Object.fromEntries(
            said.map(({ code, text }) => [code, { value: errorExample(code, text) }]),
          ),
        },
      },
    }
  }
  return answers
}

const errorHeaderNames = (status: number): HeaderName[] =>
  status === 401 ? ['WWW-Authenticate'] : status === 429 || status === 503 ? ['Retry-After'] : []

function errorExample(code: ErrorCode, message: string): Json {
  return {
    message,
    code,
    request_id: '5f2b9c1e-9d53-4c8e-8a4f-0c2d9f6b7e11',
    ...(code === 'validation_failed' && { errors: { name: ['is required'] } }),
  }
}

/** Answer for errors that an operation does not list. */
export const otherErrors: Json = {
  description: 'Any other error; `internal` (500) is a fault of the service.',
  headers: headersOf(),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: errorExample('internal', USUALLY.internal),
    },
  },
}
