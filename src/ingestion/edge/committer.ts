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
 * job a partition, all in one pipeline.
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
      const rates = await chargeAll(limiter, items)
      const outcomes: Outcome<Submitted>[] = rates.map(value => ({ value }))
      const allowed = items.flatMap((item, index) =>
        rates[index]?.isAllowed === false ? [] : [{ item, index }],
      )
      await Promise.all(
        [...byPartition(allowed)].map(async ([partition, members]) => {
          try {
            await producer.add(partition, { hits: members.map(({ item }) => item.hit!) })
          } catch (failure) {
            for (const { index } of members) outcomes[index] = { failure }
          }
        }),
      )
      return outcomes
    },
  })
}

async function chargeAll(limiter: RateLimiter, items: Submission[]): Promise<Submitted[]> {
  const charged = items.filter(item => item.charge)
  if (charged.length === 0) return items.map(() => undefined)
  const rates = (await limiter.charge(charged.map(item => item.charge!))).values()
  return items.map(item => (item.charge ? rates.next().value : undefined))
}

interface Indexed {
  item: Submission
  index: number
}

function byPartition(items: Indexed[]): Map<number, Indexed[]> {
  const partitions = new Map<number, Indexed[]>()
  for (const entry of items) {
    if (!entry.item.hit) continue
    const partition = entry.item.partition!
    const members = partitions.get(partition)
    if (members) members.push(entry)
    else partitions.set(partition, [entry])
  }
  return partitions
}

/** About the memory that the texts of a hit take, at two bytes a character. */
function textBytes(part: object): number {
  let bytes = 0
  for (const value of Object.values(part)) {
    if (typeof value === 'string') bytes += 2 * value.length
    else if (typeof value === 'object' && value !== null) bytes += textBytes(value)
  }
  return bytes
}
