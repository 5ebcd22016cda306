import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { AppError } from '../errors.ts'
import { asAppError } from '../infra/failures.ts'
import type { GroupCommit } from '../infra/group-commit.ts'
import type { Log } from '../infra/log.ts'
import { accept, type Edge, ENDPOINTS, type Endpoint } from '../ingestion/edge/accept.ts'
import type { QueuedHit } from '../ingestion/edge/committer.ts'
import { readJson } from './body.ts'
import { clientAddress } from './client-address.ts'
import { errorAnswer, logFailure } from './error-answer.ts'
import { requestIdFrom } from './request-id.ts'

export interface LeanIngest {
  /** Answers a request to an ingestion endpoint; false when it is for somebody else. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'X-Request-Id, X-Hit-Dropped, Retry-After',
  'Cross-Origin-Resource-Policy': 'cross-origin',
}
const PREFLIGHT = {
  ...CORS,
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
  'Content-Length': '0',
}

/** The four ingestion paths, before Express: an Express request costs more than all that is done here. */
export function createLeanIngest(options: {
  edge: Edge
  commit: GroupCommit<QueuedHit>
  trustProxy: number
  log: Log
}): LeanIngest {
  const paths = new Map<string, Endpoint>(ENDPOINTS.map(endpoint => [`/api/${endpoint}`, endpoint]))

  async function take(endpoint: Endpoint, request: IncomingMessage): Promise<string | undefined> {
    const body = await readJson(request)
    const sender = {
      address: clientAddress(request, options.trustProxy),
      userAgent: request.headers['user-agent'] ?? '',
    }
    const accepted = await accept(options.edge, endpoint, body, sender, Date.now())
    if ('dropped' in accepted) return accepted.dropped
    await options.commit.add(accepted)
    return undefined
  }

  function refuse(response: ServerResponse, error: AppError, requestId: string, more?: OutgoingHttpHeaders) {
    const { status, headers, body } = errorAnswer(error, requestId)
    const text = JSON.stringify(body)
    response.writeHead(status, {
      ...CORS,
      ...headers,
      ...more,
      'X-Request-Id': requestId,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    })
    response.end(text)
  }

  function answer(endpoint: Endpoint, request: IncomingMessage, response: ServerResponse) {
    const requestId = requestIdFrom(request.headers['x-request-id'])
    take(endpoint, request).then(
      dropped => {
        response.writeHead(202, {
          ...CORS,
          'X-Request-Id': requestId,
          'Content-Length': '0',
          ...(dropped && { 'X-Hit-Dropped': dropped }),
        })
        response.end()
      },
      error => {
        const failure = asAppError(error)
        logFailure(options.log, failure, requestId)
        refuse(response, failure, requestId)
      },
    )
  }

  return {
    handle(request, response) {
      const endpoint = paths.get(request.url!.split('?', 1)[0]!)
      if (!endpoint) return false
      if (request.method === 'POST') {
        answer(endpoint, request, response)
      } else if (request.method === 'OPTIONS') {
        response
          .writeHead(204, { ...PREFLIGHT, 'X-Request-Id': requestIdFrom(request.headers['x-request-id']) })
          .end()
      } else {
        const error = new AppError('method_not_allowed', 'Send hits with POST')
        refuse(response, error, requestIdFrom(request.headers['x-request-id']), { Allow: 'POST, OPTIONS' })
      }
      return true
    },
  }
}
