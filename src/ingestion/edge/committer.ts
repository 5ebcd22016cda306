import type { Admission } from '../../infra/admission.ts'
import { createGroupCommit, type GroupCommit } from '../../infra/group-commit.ts'
import { type Charge, MAX_BUCKETS, type Rate } from '../../infra/rate-limit.ts'
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

export interface Submitter extends GroupCommit<Submission, Submitted> {
  /** The rate of a request that can be refused without Redis; undefined when it has to be submitted. */
  spentRate(charge: Charge): Rate | undefined
}

/** Requests of one round trip to Redis: each may have a bucket of its own. */
const MAX_BATCH = MAX_BUCKETS / 2
/** Of their hits, unless one is larger: Redis has to take it in less time than senders wait. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024
/** Beyond this many waiting requests of a worker, or this much memory they take, senders are told to come again. */
const MAX_WAITING = 20_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** What a request takes without its texts. */
const BARE_BYTES = 1_000

/** Group commit of requests: of a batch the limits and the hits, as one job, in one command. */
export function createSubmitter(admission: Admission<HitBatch>): Submitter {
  const { add, idle } = createGroupCommit<Submission, Submitted>({
    maxBatch: MAX_BATCH,
    maxBatchBytes: MAX_BATCH_BYTES,
    // Two would only halve the batches: Redis writes to the disk what came while it did so last, at once.
    maxInFlight: 1,
    maxWaiting: MAX_WAITING,
    maxWaitingBytes: MAX_WAITING_BYTES,
    sizeOf: ({ hit }) => BARE_BYTES + (hit ? textBytes(hit) : 0),
    async commit(items) {
      const admitted = await admission.admit(
        items.map(({ charge }) => charge),
        isTaken => gather(items, isTaken),
      )
      return admitted.map(({ rate, failure }, index) =>
        failure && items[index]!.hit ? { failure } : { value: rate },
      )
    },
  })
  return { add, idle, spentRate: admission.spentRate }
}

/** The job of the hits that are taken. */
function gather(items: Submission[], isTaken: boolean[]): HitBatch | undefined {
  const parts: HitBatch['parts'] = []
  items.forEach(({ hit, partition }, index) => {
    if (!hit || !isTaken[index]) return
    const part = parts.find(other => other.partition === partition)
    if (part) part.hits.push(hit)
    else parts.push({ partition: partition!, hits: [hit] })
  })
  return parts.length > 0 ? { parts } : undefined
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
