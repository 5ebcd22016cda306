import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { type Disk, requireFreeDisk } from '../infra/disk.ts'
import { asAppError } from '../infra/failures.ts'
import type { Log } from '../infra/log.ts'
import type { Metrics } from '../infra/metrics.ts'
import { type Charge, overLimit, type Rate, rateHeaders } from '../infra/rate-limit.ts'
import { type Accepted, accept, type Edge, ENDPOINTS, type Endpoint } from '../ingestion/edge/accept.ts'
import type { Submitter } from '../ingestion/edge/committer.ts'
import type { RoutedHit } from '../ingestion/edge/make-hit.ts'
import type { TrackedSite } from '../sites/find-site.ts'
import { readJson } from './body.ts'
import { clientAddress } from './client-address.ts'
import { discardBody } from './discard-body.ts'
import { errorAnswer, logFailure } from './error-answer.ts'
import { HIT_BODY, identifyCharge, isCostly, senderCharge } from './ingest-limits.ts'
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

/** What the sender's limit says of a request, as far as that is known. */
interface Counted {
  rate: Rate | undefined
}

/** The four ingestion paths, before Express: an Express request costs more than all that is done here. */
export function createLeanIngest(options: {
  edge: Edge
  submit: Submitter
  config: Pick<Config, 'limits' | 'trackerPath' | 'trustProxy'>
  log: Log
  metrics: Metrics
  disk: Disk
  now: () => Date
}): LeanIngest {
  const { edge, submit, config, log, metrics, disk, now } = options
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
    const counted: Counted = { rate: undefined }
    try {
      requireFreeDisk(disk)
      const verdict = await take(endpoint, request, counted)
      if ('refused' in verdict) throw verdict.refused
      const { rate } = counted
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
      const { rate } = counted
      logFailure(log, failure, requestId)
      refuse(request, response, failure, requestId, {
        'X-Request-Id': requestId,
        ...(rate && rateHeaders(rate)),
      })
      const labels = { method: 'POST', route: `/api/${endpoint}`, status: response.statusCode }
      metrics.requests.observe(labels, seconds())
    }
  }

  /**
   * Counts a request, and queues its hit when it is within its limit. A sender that is known to be over its limit is refused
   * before its body is read; whose body is costly is asked for in Redis before.
   * @throws AppError `rate_limited`, or what keeps the hit from being queued
   */
  async function take(endpoint: Endpoint, request: IncomingMessage, counted: Counted): Promise<Verdict> {
    const { limits, trustProxy } = config
    const at = now().getTime()
    const address = clientAddress(request, trustProxy)
    // Before anything else waits for them, since what fails here ends the request.
    let salts = limits[endpoint] > 0 ? edge.salts.at(at) : undefined
    if (salts instanceof Promise) salts = await salts
    let charge: Charge | undefined
    if (salts) {
      charge = senderCharge(endpoint, address, salts.today, limits)
      requireRoom(submit.spentRate(charge), counted)
      if (isCostly(request)) {
        requireRoom(await submit.add({ charge }), counted)
        charge = undefined
      }
    }
    let body: unknown
    let verdict: Verdict
    try {
      body = await readJson(request, HIT_BODY)
      const sender = { address, userAgent: request.headers['user-agent'] ?? '' }
      verdict = await accept(edge, endpoint, body, sender, at)
    } catch (refused) {
      verdict = { refused }
    }
    if (salts && endpoint === 'identify') {
      // What is refused for its body counts for the address, too: made-up keys would each have a limit of their own.
      if (charge && 'refused' in verdict) requireRoom(await submit.add({ charge }), counted)
      charge = identifyCharge(body, address, salts.today, limits)
    }
    const { hit, partition } = verdict as Partial<RoutedHit>
    if (hit || charge) {
      requireRoom(await submit.add({ hit, partition, charge }), counted)
    }
    return verdict
  }

  function requireRoom(rate: Rate | undefined, counted: Counted): void {
    if (!rate) return
    counted.rate = rate
    if (!rate.isAllowed) throw overLimit(rate, now())
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
        refuse(request, response, error, requestId, { 'X-Request-Id': requestId, Allow: 'POST, OPTIONS' })
      }
      return true
    },
  }
}

function refuse(
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

/** Names and values in turn: the form in which Node takes headers as they are. */
function linesOf(headers: Record<string, string>): string[] {
  const lines: string[] = []
  for (const name in headers) lines.push(name, headers[name]!)
  return lines
}

/** What the tracker has to know of a site; it comes with an answer, so that no page pays a request for it. */
const trackerSettings = ({ trackingMode, trackErrors }: TrackedSite) =>
  `mode=${trackingMode}, errors=${trackErrors ? 1 : 0}`
