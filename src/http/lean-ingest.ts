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
  /** Answers a request to an ingestion endpoint; returns false for any other path. */
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

/** Outcome of a request, reported after the request has been charged. */
type Verdict = Accepted | { refused: unknown }

/** Latest rate-limit decision on a request; it is in the answer even if the request fails. */
interface Counted {
  rate: Rate | undefined
}

/** Creates the ingest handler of the four ingestion paths. It bypasses Express, which costs more per request than the handler. */
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

  /** Prepared metrics of successful answers: a look-up by labels for each hit would cost more than what they measure. */
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
   * Charges a request, and queues its hit when the limit allows it. A sender that is known to be over its limit is refused
   * before its body is read; a request with a costly body is charged in Redis before its body is read.
   * @throws AppError `rate_limited`, or the error that prevented queueing the hit
   */
  async function take(endpoint: Endpoint, request: IncomingMessage, counted: Counted): Promise<Verdict> {
    const { limits, trustProxy } = config
    const at = now().getTime()
    const address = clientAddress(request, trustProxy)
    // Load the salts first: without them the request cannot be charged and must fail before other work starts.
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
      // A refused body is also charged to the address: otherwise every invented key would have a limit of its own.
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

/** Returns names and values alternating: Node writes headers in this form without conversion. */
function linesOf(headers: Record<string, string>): string[] {
  const lines: string[] = []
  for (const name in headers) lines.push(name, headers[name]!)
  return lines
}

/** Returns the site settings that the tracker needs. The answer carries them, so that the tracker needs no extra request. */
const trackerSettings = ({ trackingMode, trackErrors }: TrackedSite) =>
  `mode=${trackingMode}, errors=${trackErrors ? 1 : 0}`
