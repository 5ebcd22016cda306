import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { asAppError } from '../infra/failures.ts'
import type { GroupCommit } from '../infra/group-commit.ts'
import type { Log } from '../infra/log.ts'
import type { Metrics } from '../infra/metrics.ts'
import { type Charge, overLimit, rateHeaders } from '../infra/rate-limit.ts'
import { type Accepted, accept, type Edge, ENDPOINTS, type Endpoint } from '../ingestion/edge/accept.ts'
import type { Submission, Submitted } from '../ingestion/edge/committer.ts'
import { limitKey } from '../ingestion/edge/limit-keys.ts'
import type { RoutedHit } from '../ingestion/edge/make-hit.ts'
import type { TrackedSite } from '../sites/find-site.ts'
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

/** What is to be said of a request, once it has been counted. */
type Verdict = Accepted | { refused: unknown }

/** The four ingestion paths, before Express: an Express request costs more than all that is done here. */
export function createLeanIngest(options: {
  edge: Edge
  submit: GroupCommit<Submission, Submitted>
  config: Pick<Config, 'limits' | 'trackerPath' | 'trustProxy'>
  log: Log
  metrics: Metrics
  now: () => Date
}): LeanIngest {
  const { edge, submit, config, log, metrics, now } = options
  const bases = ['/api', ...(config.trackerPath ? [config.trackerPath] : [])]
  const paths = new Map(
    bases.flatMap(base => ENDPOINTS.map((endpoint): [string, Endpoint] => [`${base}/${endpoint}`, endpoint])),
  )

  /** Of answers that hits get when all is well: looked up by their labels, they would cost more than they measure. */
  const counters = new Map(
    ENDPOINTS.map(endpoint => [
      endpoint,
      {
        accepted: metrics.accepted.labels(endpoint),
        requests: metrics.requests.labels('POST', `/api/${endpoint}`, '202'),
      },
    ]),
  )

  async function answer(
    endpoint: Endpoint,
    requestId: string,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    const startedAt = performance.now()
    const { accepted, requests } = counters.get(endpoint)!
    const seconds = () => (performance.now() - startedAt) / 1000
    let rate: Submitted
    try {
      const submission = await take(endpoint, request)
      const isNothing = !submission.hit && !submission.charge
      rate = isNothing ? undefined : await submit.add(submission)
      if (rate && !rate.isAllowed) throw overLimit(rate, now())
      const { verdict } = submission
      if ('refused' in verdict) throw verdict.refused
      let outcome: string[]
      if ('dropped' in verdict) {
        outcome = ['X-Hit-Dropped', verdict.dropped]
        metrics.dropped.inc({ reason: verdict.dropped })
      } else {
        outcome = endpoint === 'collect' ? ['X-Tracker', trackerSettings(verdict.site)] : []
        accepted.inc()
      }
      response.writeHead(202, [
        ...CORS_LINES,
        'X-Request-Id',
        requestId,
        ...(rate ? linesOf(rateHeaders(rate)) : []),
        ...outcome,
        'Content-Length',
        '0',
      ])
      response.end()
      requests.observe(seconds())
    } catch (error) {
      const failure = asAppError(error)
      logFailure(log, failure, requestId)
      refuse(response, failure, requestId, { 'X-Request-Id': requestId, ...(rate && rateHeaders(rate)) })
      const labels = { method: 'POST', route: `/api/${endpoint}`, status: response.statusCode }
      metrics.requests.observe(labels, seconds())
    }
  }

  /** Every request counts against its limit, valid or not; only one that is allowed is recorded. */
  async function take(
    endpoint: Endpoint,
    request: IncomingMessage,
  ): Promise<Submission & { verdict: Verdict }> {
    const at = now().getTime()
    const address = clientAddress(request, config.trustProxy)
    const sender = { address, userAgent: request.headers['user-agent'] ?? '' }
    const limit = config.limits[endpoint]
    // Before anything else waits for them, since what fails here ends the request.
    let salts = limit > 0 ? edge.salts.at(at) : undefined
    if (salts instanceof Promise) salts = await salts
    let body: unknown
    let verdict: Verdict
    try {
      body = await readJson(request)
      verdict = await accept(edge, endpoint, body, sender, at)
    } catch (refused) {
      verdict = { refused }
    }
    const { hit, partition } = verdict as Partial<RoutedHit>
    let charge: Charge | undefined
    if (salts) {
      const scope = endpoint === 'identify' ? `identify\n${keyIn(body)}` : endpoint
      charge = { key: limitKey(scope, address, salts.today), limit }
    }
    return { verdict, hit, partition, charge }
  }

  return {
    handle(request, response) {
      const endpoint = paths.get(request.url!.split('?', 1)[0]!)
      if (!endpoint) return false
      const requestId = requestIdFrom(request.headers['x-request-id'])
      if (request.method === 'POST') {
        void answer(endpoint, requestId, request, response)
      } else if (request.method === 'OPTIONS') {
        response.writeHead(204, { ...PREFLIGHT, 'X-Request-Id': requestId }).end()
      } else {
        const error = new AppError('method_not_allowed', 'Send hits with POST')
        refuse(response, error, requestId, { 'X-Request-Id': requestId, Allow: 'POST, OPTIONS' })
      }
      return true
    },
  }
}

function refuse(
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
  response.end(text)
}

/** Names and values in turn: the form in which Node takes headers as they are. */
function linesOf(headers: Record<string, string>): string[] {
  const lines: string[] = []
  for (const name in headers) lines.push(name, headers[name]!)
  return lines
}

/** What the tracker has to know of a site; it comes with an answer, so that no page pays a request for it. */
const trackerSettings = ({ trackingMode, trackErrors }: TrackedSite) =>
  `mode=${trackingMode}, errors=${trackErrors ? 1 : 0}`

/** The tracking key of a body that may be anything. */
function keyIn(body: unknown): string {
  const key = (body as { key?: unknown } | null | undefined)?.key
  return typeof key === 'string' ? key.slice(0, 64).toLowerCase() : ''
}
