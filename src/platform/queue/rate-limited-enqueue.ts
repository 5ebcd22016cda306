import {
  countArguments,
  countByKey,
  createExhaustedLimits,
  decisionsOf,
  type RateLimit,
  type RateLimitDecision,
  type RateLimiter,
  windowAt,
} from '../limits/rate-limit.ts'
import type { RedisClient } from '../redis/client.ts'
import { lanesOf } from '../redis/lanes.ts'
import { createProducer, type Producer } from './producer.ts'

/** Result of a request: the decision, if it has a limit, and the reason if it is not certain that Redis has its job. */
export interface Enqueued {
  decision: RateLimitDecision | undefined
  failure: Error | undefined
}

export function createRateLimitedEnqueue<Payload>(
  limiter: RateLimiter,
  producer: Producer<Payload>,
  now: () => Date,
) {
  /** Requests of exhausted limits are left out of the job, so that they do not delay other requests. */
  const exhausted = createExhaustedLimits(now)

  async function countAndAdd(window: number, limits: RateLimit[], payload: Payload | undefined) {
    if (payload === undefined)
      return { decisions: await limiter.count(limits), isAdded: true, failure: undefined }
    if (limits.length === 0) return { decisions: [], isAdded: true, failure: await add(payload) }
    const counters = countByKey(limits)
    const counted = [...counters].map(([key, { added, limit }]): [string, number, number] => [
      key,
      added,
      exhausted.has({ key, limit }) ? 0 : limit,
    ])
    const { counts, ...outcome } = await producer.addWithin(
      countArguments(window, counted, producer.lane),
      payload,
    )
    return { decisions: decisionsOf(limits, window, counters, counts), ...outcome }
  }

  const add = (payload: Payload): Promise<Error | undefined> =>
    producer.add(payload).then(
      () => undefined,
      error => error,
    )

  return {
    /**
     * Counts requests and queues those within their limits as one job. A call takes at most as many requests as a script takes
     * counters. One command does both, unless a request turns out to be over its limit: a second command then queues the others.
     * @param limits one for each request; undefined where there is no limit
     * @param buildJob builds the job of the requests that are marked; undefined when they contain nothing to queue
     * @throws the error of Redis when it cannot answer
     */
    async enqueue(
      limits: (RateLimit | undefined)[],
      buildJob: (isIncluded: boolean[]) => Payload | undefined,
    ): Promise<Enqueued[]> {
      const window = windowAt(now().getTime())
      const isIncluded = limits.map(limit => !limit || !exhausted.has(limit))
      const given = limits.filter(limit => limit !== undefined)
      const { decisions, isAdded, failure } = await countAndAdd(window, given, buildJob(isIncluded))
      for (const [index, decision] of decisions.entries()) exhausted.record(given[index]!, decision)
      let next = 0
      const results = limits.map((limit, index): Enqueued => {
        const decision = limit && decisions[next++]!
        return { decision, failure: isIncluded[index] ? failure : undefined }
      })
      // Includes requests of exhausted limits that are allowed after all, because Redis has lost its counts meanwhile.
      const isLate = results.map(
        ({ decision }, index) => decision?.isAllowed !== false && !(isAdded && isIncluded[index]),
      )
      const late = isLate.includes(true) ? buildJob(isLate) : undefined
      const lateFailure = late && (await add(late))
      if (lateFailure) {
        for (const [index, result] of results.entries()) if (isLate[index]) result.failure = lateFailure
      }
      return results
    },
    /**
     * Returns the decision on a request whose limit is known to be exhausted, so that it can be refused at once. It need not be
     * counted, since the window allows no further request of this limit. Undefined for a request that needs `enqueue`.
     */
    refusalOf: exhausted.refusalOf,
  }
}

/**
 * Returns one for each lane of Redis, in their order.
 * @param minReplicas how many replicas must have a job before it counts as queued
 */
export const enqueueByLane = <Payload>(
  redis: RedisClient,
  limiter: RateLimiter,
  now: () => Date,
  minReplicas = 0,
): RateLimitedEnqueue<Payload>[] =>
  lanesOf(redis).map(lane =>
    createRateLimitedEnqueue(limiter, createProducer<Payload>(redis, 'hits', { lane, minReplicas }), now),
  )

export type RateLimitedEnqueue<Payload> = ReturnType<typeof createRateLimitedEnqueue<Payload>>
