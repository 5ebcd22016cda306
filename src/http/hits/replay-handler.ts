import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Edge } from '../../ingestion/edge/accept.ts'
import type { IngestBatcher } from '../../ingestion/edge/ingest-batcher.ts'
import { type AcceptedReplay, acceptReplay } from '../../ingestion/replays/accept-replay.ts'
import { MAX_SESSION_BYTES, MAX_SESSION_MS, SHARE_OF_SENDER } from '../../ingestion/replays/bounds.ts'
import { MAX_BODY_BYTES, type ReplayAnswer } from '../../ingestion/replays/read-chunk.ts'
import { bytesOf, type ReplayJob, siteDay } from '../../ingestion/replays/replay-job.ts'
import type { Config } from '../../platform/config/config.ts'
import { AppError } from '../../platform/errors.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/lib/time.ts'
import { overLimit, type RateLimitDecision } from '../../platform/limits/rate-limit.ts'
import type { Allowance, BoundedQueue } from '../../platform/queue/bounded-queue.ts'
import { type Disk, requireFreeDisk } from '../../platform/runtime/disk.ts'
import { asAppError } from '../../platform/runtime/failures.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Metrics } from '../../platform/runtime/metrics.ts'
import { readBody } from '../body.ts'
import { clientAddress } from '../client-address.ts'
import { logFailure } from '../error-answer.ts'
import { requestIdFrom } from '../request-id.ts'
import { accepted, refused, refuseMethod, writeAnswer } from './hit-answers.ts'
import { limitKey } from './sender-limits.ts'

const BODY = { plain: MAX_BODY_BYTES, unpacked: MAX_BODY_BYTES }
const ROUTE = '/api/replay'
/** Seconds. */
const RETRY_AFTER = 10
/** A chunk counts as one request for each of these: parsing takes longest, up to about 20 ms for each. */
const BYTES_PER_REQUEST = 1024 * 1024

/** Creates the handler of `POST /api/replay`, which takes recordings of trackers. Like hits, they bypass Express. */
export function createReplayHandler(options: {
  edge: Edge
  batcher: IngestBatcher
  queue: BoundedQueue<ReplayJob>
  config: Pick<Config, 'limits' | 'trackerPath' | 'trustProxy' | 'replayBytesPerSiteDay'>
  log: Log
  metrics: Metrics
  disk: Disk
  now: () => Date
}) {
  const { edge, batcher, queue, config, log, metrics, disk, now } = options
  const paths = [ROUTE, ...(config.trackerPath ? [`${config.trackerPath}/replay`] : [])]

  /** Counts a request. A recording is always costly to read, so it is counted before its body is. */
  async function count(address: string, at: number): Promise<RateLimitDecision | undefined> {
    if (config.limits.replay === 0) return undefined
    const { today } = await edge.salts.at(at)
    const limit = { key: limitKey('replay', address, today), limit: config.limits.replay }
    return batcher.refusalOf(limit) ?? (await batcher.add({ limit }))
  }

  /** Adds the chunk to the queue within the bounds of its session, its sender and its site. */
  async function enqueue(accepted: AcceptedReplay, address: string): Promise<AcceptedReplay> {
    const { site, job } = accepted
    if (!job) return accepted
    const session: Allowance = {
      key: `replay:visitor:${site.siteNo}:${job.visitorId}`,
      most: MAX_SESSION_BYTES,
      mostMs: MAX_SESSION_MS,
      // A session ends after as much time without a hit.
      keptMs: 30 * MINUTE_MS,
    }
    const { today } = await edge.salts.at(job.at)
    const ofSender: Allowance = {
      key: `replay:sender:${site.siteNo}:${limitKey('replay-bytes', address, today)}`,
      most: Math.max(MAX_SESSION_BYTES, config.replayBytesPerSiteDay * SHARE_OF_SENDER),
      keptMs: 25 * HOUR_MS,
    }
    const ofSite = siteDay(job, config.replayBytesPerSiteDay)
    const room = await queue.add(job, bytesOf(job), [session, ofSender, ofSite], job.at)
    if (room === 'added') return accepted
    if (room !== 'queue_full') return { site, dropped: 'replay_full' }
    throw new AppError('unavailable', 'Too many recordings wait to be stored; send it again later', {
      retryAfter: RETRY_AFTER,
    })
  }

  async function answer(requestId: string, request: IncomingMessage, response: ServerResponse) {
    const startedAt = performance.now()
    let decision: RateLimitDecision | undefined
    try {
      requireFreeDisk(disk)
      const at = now().getTime()
      const address = clientAddress(request, config.trustProxy)
      const charge = async (requests: number) => {
        for (let request = 0; request < requests; request++) {
          decision = await count(address, at)
          if (decision && !decision.isAllowed) throw overLimit(decision, now())
        }
      }
      await charge(1)
      const body = await readBody(request, BODY)
      const sender = { address, userAgent: request.headers['user-agent'] ?? '' }
      const replay = await acceptReplay(edge, body, sender, at, unpacked =>
        charge(Math.ceil(unpacked / BYTES_PER_REQUEST) - 1),
      )
      const { site, dropped, job } = await enqueue(replay, address)
      if (dropped) metrics.dropped.inc({ reason: dropped })
      else if (job) metrics.accepted.inc({ endpoint: 'replay' })
      const told: ReplayAnswer = {
        recording: !dropped || dropped === 'excluded_path',
        excluded_paths: site.trackSessionReplay ? site.replayExcludedPaths : [],
      }
      const about = dropped ? ['X-Hit-Dropped', dropped] : []
      writeAnswer(request, response, accepted(requestId, decision, about, JSON.stringify(told)))
    } catch (error) {
      const failure = asAppError(error)
      logFailure(log, failure, requestId)
      writeAnswer(request, response, refused(failure, requestId, decision))
    }
    const labels = { method: 'POST', route: ROUTE, status: response.statusCode }
    metrics.requests.observe(labels, (performance.now() - startedAt) / 1000)
  }

  return {
    /** Answers a request to the endpoint; returns false for any other path. */
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      if (!paths.includes(request.url!.split('?', 1)[0]!)) return false
      const requestId = requestIdFrom(request.headers['x-request-id'])
      if (request.method === 'POST') void answer(requestId, request, response)
      else refuseMethod(request, response, requestId)
      return true
    },
  }
}
