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

/** What became of a request: its rate, if it was charged, and why Redis is not known to have its job, if it is not. */
export interface Admitted {
  rate: Rate | undefined
  failure: Error | undefined
}

export interface Admission<Payload> {
  /**
   * Counts requests and queues those within their limits as one job; no more requests than a script takes buckets. One
   * command does both, unless somebody comes over a limit just then: only a second one can leave that request out.
   * @param charges one a request; undefined where there is no limit
   * @param gather makes the job of the requests that it is told to take; undefined when they bring nothing
   * @throws what Redis throws when it cannot answer
   */
  admit(
    charges: (Charge | undefined)[],
    gather: (isTaken: boolean[]) => Payload | undefined,
  ): Promise<Admitted[]>
  /**
   * The rate of a request whose bucket is known to be spent: it can be refused at once. Not counting it changes nothing, since
   * the window has nothing left for anybody. Undefined for a request that has to be admitted.
   */
  spentRate(charge: Charge): Rate | undefined
}

export function createAdmission<Payload>(
  limiter: RateLimiter,
  producer: Producer<Payload>,
  now: () => Date,
): Admission<Payload> {
  /** Requests of spent buckets are in no job, so that they hold nobody else up. */
  const spent = createSpentBuckets(now)

  /** `failure`: of the job. */
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
      // Also those that had nothing left, if Redis has forgotten meanwhile what it had counted.
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
