import { MAX_COUNTERS, type RateLimit, type RateLimitDecision } from '../../platform/limits/rate-limit.ts'
import type { RateLimitedEnqueue } from '../../platform/queue/rate-limited-enqueue.ts'
import { createGroupCommit, type WaitingRoom, waitingRoom } from '../../platform/redis/group-commit.ts'
import { laneIndexOf } from '../../platform/redis/lanes.ts'
import type { Hit, HitBatch } from '../hit.ts'

/** A request to an ingestion endpoint: its rate limit, and its hit if there is one to record. */
export interface BatchItem {
  /** Absent when the endpoint has no limit. */
  limit?: RateLimit
  hit?: Hit
  /** Partition of the hit. */
  partition?: number
  /** Characters of what was sent, which bounds the texts of the hit. Adding them up field by field costs 1.5 µs. */
  characters?: number
}

/** Rate-limit decision on the request. If it allows the request, the hit is in Redis. Undefined without a limit. */
export type BatchResult = RateLimitDecision | undefined

/** Maximum requests in one round trip to Redis; each may have a rate-limit counter of its own. */
const MAX_BATCH = MAX_COUNTERS / 2
/** Each batch is a job, whose cost does not depend on its size: at half load batches would hold five hits without a pause. */
const PACE_MS = 4
/** Maximum bytes of hits in one round trip; a larger single hit goes alone. Redis must finish before senders time out. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024
/** A worker refuses requests above this number of waiting requests, or above this memory for them; senders must retry. */
const MAX_WAITING = 20_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** Estimated memory of a request without its texts. */
const BARE_BYTES = 1_000

/**
 * Creates the ingest batcher: one Redis command checks the limits of a batch and enqueues its hits as one job.
 * @param lanes one for each lane of Redis, in their order
 */
export function createIngestBatcher(lanes: RateLimitedEnqueue<HitBatch>[]) {
  const room = waitingRoom(MAX_WAITING, MAX_WAITING_BYTES)
  const commits = lanes.map(lane => commitTo(lane, room))
  /** Requests of one sender share a lane, where they are counted. */
  const laneOf = (sender: string) => laneIndexOf(sender, lanes.length)
  return {
    /** Resolves when the request is counted, and its hit queued if the limit allows it. */
    add: (item: BatchItem): Promise<BatchResult> =>
      commits[laneOf(item.limit?.key ?? String(item.partition))]!.add(item),
    /** Resolves when no request waits. */
    idle: async () => void (await Promise.all(commits.map(commit => commit.idle()))),
    /** See `RateLimitedEnqueue`. */
    refusalOf: (limit: RateLimit) => lanes[laneOf(limit.key)]!.refusalOf(limit),
  }
}

function commitTo({ enqueue }: Pick<RateLimitedEnqueue<HitBatch>, 'enqueue'>, room: WaitingRoom) {
  return createGroupCommit<BatchItem, BatchResult>({
    maxBatch: MAX_BATCH,
    maxBatchBytes: MAX_BATCH_BYTES,
    // Two commits in flight would only halve the batches: Redis writes everything that arrived during a disk write at once.
    maxInFlight: 1,
    paceMs: PACE_MS,
    room,
    sizeOf: ({ hit, characters = 0 }) => BARE_BYTES + (hit ? 2 * characters : 0),
    async commit(items) {
      const limits = items.map(({ limit }) => limit)
      const results = await enqueue(limits, isIncluded => buildJob(items, isIncluded))
      return results.map(({ decision, failure }, index) =>
        failure && items[index]!.hit ? { failure } : { value: decision },
      )
    },
  })
}

export type IngestBatcher = ReturnType<typeof createIngestBatcher>

function buildJob(items: BatchItem[], isIncluded: boolean[]): HitBatch | undefined {
  const parts: HitBatch['parts'] = []
  items.forEach(({ hit, partition }, index) => {
    if (!hit || !isIncluded[index]) return
    const part = parts.find(other => other.partition === partition)
    if (part) part.hits.push(hit)
    else parts.push({ partition: partition!, hits: [hit] })
  })
  return parts.length > 0 ? { parts } : undefined
}
