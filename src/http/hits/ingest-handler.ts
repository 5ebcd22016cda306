import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TrackedSite } from '../../access/sites/find-site.ts'
import {
  type Accepted,
  accept,
  type Edge,
  ENDPOINTS,
  type Endpoint,
  type RoutedHit,
} from '../../ingestion/edge/accept.ts'
import type { IngestBatcher } from '../../ingestion/edge/ingest-batcher.ts'
import type { Hit } from '../../ingestion/hit.ts'
import { isRecorded } from '../../ingestion/replays/accept-replay.ts'
import type { Config } from '../../platform/config/config.ts'
import { parseJson } from '../../platform/lib/json.ts'
import { overLimit, type RateLimit, type RateLimitDecision } from '../../platform/limits/rate-limit.ts'
import { type Disk, requireFreeDisk } from '../../platform/runtime/disk.ts'
import { asAppError } from '../../platform/runtime/failures.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Metrics } from '../../platform/runtime/metrics.ts'
import { readBody, textOf } from '../body.ts'
import { clientAddress } from '../client-address.ts'
import { logFailure } from '../error-answer.ts'
import { requestIdFrom } from '../request-id.ts'
import { accepted, type HitAnswer, refused, refuseMethod, writeAnswer } from './hit-answers.ts'
import { HIT_BODY, identifyLimit, isCostly, senderLimit } from './sender-limits.ts'

type HitOutcome = Accepted | { refused: unknown }

/** Latest rate-limit decision on a request; it is in the answer even if the request fails. */
type Counted = { decision?: RateLimitDecision }

/** Creates the ingest handler of the ingestion paths. It bypasses Express, which costs more per request than the handler. */
export function createIngestHandler(options: {
  edge: Edge
  batcher: IngestBatcher
  config: Pick<Config, 'limits' | 'trackerPath' | 'trustProxy'>
  log: Log
  metrics: Metrics
  disk: Disk
  now: () => Date
}) {
  const { edge, batcher, config, log, metrics, disk, now } = options
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

  async function answer(endpoint: Endpoint, requestId: string, request: IncomingMessage): Promise<HitAnswer> {
    const startedAt = performance.now()
    const prepared = counters.get(endpoint)!
    const seconds = () => (performance.now() - startedAt) / 1000
    const counted: Counted = {}
    try {
      requireFreeDisk(disk)
      const outcome = await receive(endpoint, request, counted)
      if ('refused' in outcome) throw outcome.refused
      let about: string[]
      if ('dropped' in outcome) {
        about = ['X-Hit-Dropped', outcome.dropped]
        metrics.dropped.inc({ reason: outcome.dropped })
      } else {
        about = endpoint === 'collect' ? ['X-Tracker', trackerSettings(outcome.site, outcome.hit)] : []
        prepared.accepted.inc()
      }
      prepared.requests.observe(seconds())
      return accepted(requestId, counted.decision, about)
    } catch (error) {
      const failure = asAppError(error)
      logFailure(log, failure, requestId)
      const answer = refused(failure, requestId, counted.decision)
      const labels = { method: 'POST', route: `/api/${endpoint}`, status: answer.status }
      metrics.requests.observe(labels, seconds())
      return answer
    }
  }

  /**
   * Counts a request, and queues its hit when the limit allows it. A sender that is known to be over its limit is refused
   * before its body is read; a request with a costly body is counted in Redis before its body is read.
   * @throws AppError `rate_limited`, or the error that prevented queueing the hit
   */
  async function receive(
    endpoint: Endpoint,
    request: IncomingMessage,
    counted: Counted,
  ): Promise<HitOutcome> {
    const { limits } = config
    const address = clientAddress(request, config.trustProxy)
    const userAgent = request.headers['user-agent'] ?? ''
    const at = now().getTime()
    // Load the salts first: without them the request cannot be counted and must fail before other work starts.
    let salts = limits[endpoint] > 0 ? edge.salts.at(at) : undefined
    if (salts instanceof Promise) salts = await salts
    let limit: RateLimit | undefined
    if (salts) {
      limit = senderLimit(endpoint, address, salts.today, limits)
      requireAllowed(batcher.refusalOf(limit), counted)
      if (isCostly(request)) {
        requireAllowed(await batcher.add({ limit }), counted)
        limit = undefined
      }
    }
    const sender = { address, userAgent }
    let characters = userAgent.length
    let body: unknown
    let outcome: HitOutcome
    try {
      const text = textOf(await readBody(request, HIT_BODY))
      characters += text.length
      body = parseJson(text)
      const accepted = accept(edge, endpoint, body, sender, at)
      outcome = accepted instanceof Promise ? await accepted : accepted
    } catch (refused) {
      outcome = { refused }
    }
    if (salts && endpoint === 'identify') {
      // A refused body also counts for the address: otherwise every invented key would have a limit of its own.
      if (limit && 'refused' in outcome) requireAllowed(await batcher.add({ limit }), counted)
      limit = identifyLimit(body, address, salts.today, limits)
    }
    const { hit, partition } = outcome as Partial<RoutedHit>
    if (hit || limit) requireAllowed(await batcher.add({ hit, partition, limit, characters }), counted)
    return outcome
  }

  function requireAllowed(decision: RateLimitDecision | undefined, counted: Counted): void {
    if (!decision) return
    counted.decision = decision
    if (!decision.isAllowed) throw overLimit(decision, now())
  }

  return {
    /** Answers a request to an ingestion endpoint; returns false for any other path. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      const endpoint = paths.get(request.url!.split('?', 1)[0]!)
      if (!endpoint) return false
      const requestId = requestIdFrom(request.headers['x-request-id'])
      if (request.method !== 'POST') refuseMethod(request, response, requestId)
      else
        answer(endpoint, requestId, request).then(
          answered => writeAnswer(request, response, answered),
          error => {
            log.error({ requestId, error }, 'request was not answered')
            request.destroy()
          },
        )
      return true
    },
  }
}

/**
 * Returns the site settings that the tracker needs, with the names of the scripts to load. The answer carries them, so that the tracker
 * needs no extra request.
 */
function trackerSettings(site: TrackedSite, hit: Hit): string {
  const { trackingMode, trackErrors, trackWebVitals } = site
  const scripts = `${trackWebVitals ? ', load=vitals.js' : ''}${isRecorded(site, hit) ? ', load=replay.js' : ''}`
  return `mode=${trackingMode}, errors=${trackErrors ? 1 : 0}${scripts}`
}
