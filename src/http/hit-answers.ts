import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { AppError } from '../errors.ts'
import { discardBody } from './body.ts'
import { errorAnswer } from './error-answer.ts'

// Answers of the endpoints that trackers send to: any page may read them.

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-Hit-Dropped, X-Tracker, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
export const CORS_LINES = linesOf(CORS)
const PREFLIGHT = {
  ...CORS,
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
}

export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: AppError,
  requestId: string,
  more: OutgoingHttpHeaders,
): void {
  const { status, headers, body } = errorAnswer(error, requestId)
  const text = JSON.stringify(body)
  response.writeHead(status, {
    ...CORS,
    ...headers,
    ...more,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  discardBody(request)
  response.end(text)
}

/** Answers a preflight, and refuses methods other than POST. */
export function refuseMethod(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, { ...PREFLIGHT, 'X-Request-Id': requestId }).end()
    return
  }
  const error = new AppError('method_not_allowed', 'Send hits with POST')
  refuse(request, response, error, requestId, { 'X-Request-Id': requestId, Allow: 'POST, OPTIONS' })
}

/** Returns names and values alternating: Node writes headers in this form without conversion. */
export function linesOf(headers: Record<string, string>): string[] {
  const lines: string[] = []
  for (const name in headers) lines.push(name, headers[name]!)
  return lines
}
