import type { NewJob } from './queue/layout.ts'
import type { Failures, Producer } from './queue/producer.ts'
import { type Charge, countByBucket, type Rate, ratesOf, tallyOf, windowAt } from './rate-limit.ts'

/** The job of some of a call's requests. */
export interface MembersJob<Payload> extends NewJob<Payload> {
  /** Which requests it is of, by their places in the call. */
  members: number[]
}

/** What became of a request: its rate, if it was charged, and why Redis is not known to have its job, if it is not. */
export interface Admitted {
  rate: Rate | undefined
  failure: Error | undefined
}

export interface Admission<Payload> {
  /**
   * Counts requests and adds the jobs of those within their limits; no more requests than a script takes buckets. One
   * command does both, unless somebody comes over a limit just then: only a second one can leave that request out.
   * @param charges one a request; undefined where there is no limit
   * @param gather makes the jobs of the requests that it is told to take
   * @throws what Redis throws when it cannot answer
   */
  admit(
    charges: (Charge | undefined)[],
    gather: (isTaken: boolean[]) => MembersJob<Payload>[],
  ): Promise<Admitted[]>
}

export function createAdmission<Payload>(producer: Producer<Payload>, now: () => Date): Admission<Payload> {
  /** Buckets that have nothing left in a window: their requests have no job, so that they hold nobody else up. */
  const spent = { window: 0, keys: new Set<string>() }

  function tallyFor(charges: Charge[]) {
    const window = windowAt(now().getTime())
    if (spent.window !== window) {
      spent.window = window
      spent.keys.clear()
    }
    const buckets = countByBucket(charges)
    const counted = [...buckets].map(([key, { added, limit }]): [string, number, number] => [
      key,
      added,
      spent.keys.has(key) ? 0 : limit,
    ])
    return { window, buckets, tally: tallyOf(window, counted) }
  }

  /** @returns the rates of the requests, and what became of the jobs; undefined when none was added */
  async function countAndAdd(
    charges: Charge[],
    take: (isSpent: (charge: Charge) => boolean) => MembersJob<Payload>[],
  ): Promise<{ rates: Rate[]; jobs: MembersJob<Payload>[]; failures: Failures | undefined }> {
    if (charges.length === 0) {
      const jobs = take(() => false)
      return { rates: [], jobs, failures: await producer.addAll(jobs) }
    }
    const { window, buckets, tally } = tallyFor(charges)
    const jobs = take(({ key }) => spent.keys.has(key))
    const { counts, failures } = await producer.addWithin(tally, jobs)
    let index = 0
    for (const [key, { limit }] of buckets) {
      if (counts[index++]! >= limit && spent.window === window) spent.keys.add(key)
    }
    return { rates: ratesOf(charges, window, buckets, counts), jobs, failures }
  }

  return {
    async admit(charges, gather) {
      let isTaken: boolean[] = []
      const { rates, jobs, failures } = await countAndAdd(
        charges.filter(charge => charge !== undefined),
        isSpent => {
          isTaken = charges.map(charge => !charge || !isSpent(charge))
          return gather(isTaken)
        },
      )
      let next = 0
      const admitted = charges.map(
        (charge): Admitted => ({ rate: charge && rates[next++]!, failure: undefined }),
      )
      if (failures) note(admitted, jobs, failures)
      // Also those that had nothing left, if Redis has forgotten meanwhile what it had counted.
      const isLate = admitted.map(
        ({ rate }, index) => rate?.isAllowed !== false && !(failures && isTaken[index]),
      )
      if (isLate.includes(true)) {
        const late = gather(isLate)
        if (late.length > 0) note(admitted, late, await producer.addAll(late))
      }
      return admitted
    },
  }
}

function note<Payload>(admitted: Admitted[], jobs: MembersJob<Payload>[], failures: Failures): void {
  for (const [index, failure] of failures.entries()) {
    if (failure) for (const member of jobs[index]!.members) admitted[member]!.failure = failure
  }
}
