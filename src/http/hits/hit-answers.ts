import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../platform/errors.ts'
import { type RateLimitDecision, rateHeaders } from '../../platform/limits/rate-limit.ts'
import { discardBody } from '../body.ts'
import { errorAnswer } from '../error-answer.ts'

// Answers of the endpoints that trackers send to: any page may read them.

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-Hit-Dropped, X-Tracker, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
const CORS_LINES = linesOf(CORS)
const PREFLIGHT = {
  ...CORS,
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
}

/** Answer to a request for a hit. */
export interface HitAnswer {
  status: number
  /**
   * Names and values of headers alternating, without those of CORS. A value of the sender must be checked before: it could
   * hold line breaks.
   */
  lines: string[]
  body: string
}

/** Returns an answer 202. A body is JSON. */
export function accepted(
  requestId: string,
  decision: RateLimitDecision | undefined,
  about: string[],
  body = '',
): HitAnswer {
  const limits = decision ? linesOf(rateHeaders(decision)) : []
  return { status: 202, lines: ['X-Request-Id', requestId, ...limits, ...about, ...linesOfBody(body)], body }
}

/** Returns the answer to a request that failed. */
export function refused(
  error: AppError,
  requestId: string,
  decision?: RateLimitDecision,
  more: Record<string, string> = {},
): HitAnswer {
  const { status, headers, body } = errorAnswer(error, requestId)
  const text = JSON.stringify(body)
  const all = { ...headers, 'X-Request-Id': requestId, ...(decision && rateHeaders(decision)), ...more }
  return { status, lines: [...linesOf(all), ...linesOfBody(text)], body: text }
}

const linesOfBody = (text: string): string[] =>
  text === ''
    ? ['Content-Length', '0']
    : ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(Buffer.byteLength(text))]

/** Writes an answer through Node's server. The rest of a body that was not read is read and forgotten. */
export function writeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, lines, body }: HitAnswer,
): void {
  response.writeHead(status, [...CORS_LINES, ...lines])
  if (status >= 400) discardBody(request)
  response.end(body)
}

/** Answers a preflight, and refuses methods other than POST. */
export function refuseMethod(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { ...PREFLIGHT, 'X-Request-Id': requestId }).end()
    return
  }
  const error = new AppError('method_not_allowed', 'Send hits with POST')
  writeAnswer(request, response, refused(error, requestId, undefined, { Allow: 'POST, OPTIONS' }))
}

/** Returns names and values alternating: Node writes headers in this form without conversion. */
function linesOf(headers: Record<string, string>): string[] {
  const lines: string[] = []
  for (const name in headers) lines.push(name, headers[name]!)
  return lines
}
