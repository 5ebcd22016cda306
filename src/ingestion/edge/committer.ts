import { createGroupCommit, type GroupCommit, type Outcome } from '../../infra/group-commit.ts'
import type { Producer } from '../../infra/queue.ts'
import type { Charge, Rate, RateLimiter } from '../../infra/rate-limit.ts'
import type { Hit, HitBatch } from '../hit.ts'

/** A request to an ingestion endpoint: what it is charged to, and the hit when there is one to record. */
export interface Submission {
  /** Absent when the endpoint has no limit. */
  charge?: Charge
  hit?: Hit
  /** Of the hit. */
  partition?: number
}

/** The rate of the request; the hit is in Redis when it is allowed. Undefined without a charge. */
export type Submitted = Rate | undefined

/** Requests of one round trip to Redis. */
const MAX_BATCH = 1_000
/** Beyond this many waiting requests of a worker, or this much memory they take, senders are told to come again. */
const MAX_WAITING = 20_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** What a request takes without its texts. */
const BARE_BYTES = 1_000

/**
 * Group commit of requests: first the limits of the whole batch in one call, then the hits of those that are allowed, one
 * job a partition, in another.
 */
export function createSubmitter(
  limiter: RateLimiter,
  producer: Producer<HitBatch>,
): GroupCommit<Submission, Submitted> {
  return createGroupCommit<Submission, Submitted>({
    maxBatch: MAX_BATCH,
    maxInFlight: 2,
    maxWaiting: MAX_WAITING,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sizeOf: ({ hit }) => BARE_BYTES + (hit ? textBytes(hit) : 0),
    async commit(items) {
      const outcomes = await chargeAll(limiter, items)
      const batches: Batch[] = []
      items.forEach(({ hit, partition }, index) => {
        const outcome = outcomes[index]!
        if (!hit || ('value' in outcome && outcome.value?.isAllowed === false)) return
        let batch = batches.find(other => other.partition === partition)
        if (!batch) {
          batch = { partition: partition!, payload: { hits: [] }, indexes: [] }
          batches.push(batch)
        }
        batch.payload.hits.push(hit)
        batch.indexes.push(index)
      })
      const failures = batches.length > 0 ? await producer.addAll(batches) : []
      failures.forEach((failure, number) => {
        if (failure) for (const index of batches[number]!.indexes) outcomes[index] = { failure }
      })
      return outcomes
    },
  })
}

/** The job of one partition. */
interface Batch {
  partition: number
  payload: HitBatch
  /** Of the hits among the items. */
  indexes: number[]
}

async function chargeAll(limiter: RateLimiter, items: Submission[]): Promise<Outcome<Submitted>[]> {
  const charges: Charge[] = []
  for (const { charge } of items) if (charge) charges.push(charge)
  const rates = charges.length > 0 ? await limiter.charge(charges) : []
  let next = 0
  return items.map(({ charge }) => ({ value: charge ? rates[next++] : undefined }))
}

/** About the memory that the texts of a hit take, at two bytes a character. */
function textBytes(part: object): number {
  let bytes = 0
  for (const name in part) {
    const value: unknown = part[name as keyof typeof part]
    if (typeof value === 'string') bytes += 2 * value.length
    else if (typeof value === 'object' && value !== null) bytes += textBytes(value)
  }
  return bytes
}
