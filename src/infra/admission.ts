import type { Producer } from './queue/producer.ts'
import {
  type Charge,
  countByBucket,
  type Rate,
  type RateLimiter,
  ratesOf,
  tallyOf,
  windowAt,
} from './rate-limit.ts'
import { createSpentBuckets } from './spent-buckets.ts'

/** Result of a request: its rate, if it was charged, and the reason if it is not certain that Redis has its job. */
export interface Admitted {
  rate: Rate | undefined
  failure: Error | undefined
}

export interface Admission<Payload> {
  /**
   * Counts requests and queues those within their limits as one job. A call takes at most as many requests as a script takes
   * buckets. One command does both, unless a request turns out to be over its limit: a second command then queues the others.
   * @param charges one for each request; undefined where there is no limit
   * @param gather builds the job of the requests that are marked; undefined when they contain nothing to queue
   * @throws the error of Redis when it cannot answer
   */
  admit(
    charges: (Charge | undefined)[],
    gather: (isTaken: boolean[]) => Payload | undefined,
  ): Promise<Admitted[]>
  /**
   * Returns the rate of a request whose bucket is known to be spent, so that it can be refused at once. It need not be
   * counted, since the window allows no further request of this bucket. Undefined for a request that needs `admit`.
   */
  spentRate(charge: Charge): Rate | undefined
}

export function createAdmission<Payload>(
  limiter: RateLimiter,
  producer: Producer<Payload>,
  now: () => Date,
): Admission<Payload> {
  /** Requests of spent buckets are left out of the job, so that they do not delay other requests. */
  const spent = createSpentBuckets(now)

  /** Counts the requests and adds the job; `failure` says why the job was not added. */
  async function countAndAdd(window: number, charges: Charge[], payload: Payload | undefined) {
    if (payload === undefined) {
      return { rates: charges.length > 0 ? await limiter.charge(charges) : [], isAdded: true }
    }
    if (charges.length === 0) return { rates: [], isAdded: true, failure: await add(payload) }
    const buckets = countByBucket(charges)
    const counted = [...buckets].map(([key, { added, limit }]): [string, number, number] => [
      key,
      added,
      spent.has({ key, limit }) ? 0 : limit,
    ])
    const { counts, ...outcome } = await producer.addWithin(tallyOf(window, counted), payload)
    return { rates: ratesOf(charges, window, buckets, counts), ...outcome }
  }

  const add = (payload: Payload): Promise<Error | undefined> =>
    producer.add(payload).then(
      () => undefined,
      error => error,
    )

  return {
    async admit(charges, gather) {
      const window = windowAt(now().getTime())
      const isHopeful = charges.map(charge => !charge || !spent.has(charge))
      const given = charges.filter(charge => charge !== undefined)
      const { rates, isAdded, failure } = await countAndAdd(window, given, gather(isHopeful))
      for (const [index, rate] of rates.entries()) spent.note(given[index]!, rate)
      let next = 0
      const admitted = charges.map((charge, index): Admitted => {
        const rate = charge && rates[next++]!
        return { rate, failure: isHopeful[index] ? failure : undefined }
      })
      // Includes requests of spent buckets that are allowed after all, because Redis has lost its counts meanwhile.
      const isLate = admitted.map(
        ({ rate }, index) => rate?.isAllowed !== false && !(isAdded && isHopeful[index]),
      )
      const late = isLate.includes(true) ? gather(isLate) : undefined
      const lateFailure = late && (await add(late))
      if (lateFailure) {
        for (const [index, entry] of admitted.entries()) if (isLate[index]) entry.failure = lateFailure
      }
      return admitted
    },
    spentRate: spent.rateOf,
  }
}
