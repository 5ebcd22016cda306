import type { Db } from '../../platform/db/connect.ts'
import { isDataFault, isUnavailable } from '../../platform/db/database-errors.ts'
import { retry } from '../../platform/lib/retry.ts'
import { DAY_MS } from '../../platform/lib/time.ts'
import type { Producer } from '../../platform/queue/producer.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Metrics } from '../../platform/runtime/metrics.ts'
import type { EnrichedHit, Hit, HitBatch } from '../hit.ts'
import { enrich } from '../stages/index.ts'
import { moveToDeadLetters } from './dead-letters.ts'
import { nothingStored, STORE_RETRY, type Stored, storeHits, storeWithBisection } from './store.ts'
import { createStoreBatcher, type PartitionHits } from './store-batcher.ts'
import { createUnreachableSites, unreachableSites, waitOf } from './unreachable-sites.ts'

/** Time that orphan engagement waits for its pageview. */
const PAGE_WAIT_MS = 1_000

/** Creates the consumer of the queue: it stores the hits of batches. */
export function createHitConsumer(options: {
  db: Db
  /** Queue of the batches; orphan engagement goes back to it. */
  queue: Producer<HitBatch>
  log: Log
  metrics?: Metrics
  /** Limit of distinct values of a site and day; see `storeHits`. */
  mostValues?: number
  /** Returns sites whose rows are on a server that does not answer; by default, the database is asked. */
  findUnreachable?: typeof unreachableSites
}) {
  const { db, queue, log, metrics, mostValues, findUnreachable = unreachableSites } = options
  const unreachable = createUnreachableSites(db, findUnreachable)
  const counts = { stored: 0, repeated: 0, dropped: 0, dead: 0, batches: 0 }
  const batcher = createStoreBatcher(storeParts)
  let isStopped = false
  let atWork = 0

  async function storeParts(parts: PartitionHits[]): Promise<void> {
    const partitions = [...new Set(parts.map(part => part.partition))]
    const left = await storeAll(partitions, await enrichAll(parts.flatMap(part => part.hits)))
    counts.batches += 1
    if (left.orphanEngagement.length > 0) await requeueOrphans(left.orphanEngagement, parts)
    if (left.unreachable.length > 0) await requeueUnreachable(left.unreachable, parts)
  }

  /** Queues orphan engagement once more, because another worker may store its pageview a moment later; then drops it. */
  async function requeueOrphans(hits: EnrichedHit[], parts: PartitionHits[]): Promise<void> {
    const again = partsWith(
      hits,
      parts.filter(part => !part.isSecondTry),
    )
    if (again.length > 0) await queue.add({ parts: again, isSecondTry: true }, PAGE_WAIT_MS)
    count('dropped', hits.length - again.reduce((sum, part) => sum + part.hits.length, 0))
  }

  /** Lets hits wait in the queue and not here: jobs that wait here would leave no room for those of other sites. */
  async function requeueUnreachable(hits: EnrichedHit[], parts: PartitionHits[]): Promise<void> {
    const oldest = hits.reduce((at, hit) => Math.min(at, hit.at), Number.POSITIVE_INFINITY)
    for (const isSecondTry of [false, true]) {
      const again = partsWith(
        hits,
        parts.filter(part => part.isSecondTry === isSecondTry),
      )
      if (again.length > 0) await queue.add({ parts: again, isSecondTry }, waitOf(Date.now() - oldest))
    }
  }

  function count(what: 'stored' | 'repeated' | 'dropped', hits: number) {
    counts[what] += hits
    if (what === 'dropped') metrics?.dropped.inc({ reason: 'not_recorded' }, hits)
    else metrics?.[what].inc(hits)
  }

  async function enrichAll(hits: unknown[]): Promise<EnrichedHit[]> {
    const enriched: EnrichedHit[] = []
    for (const hit of hits) {
      try {
        enriched.push(enrich(hit as Hit))
      } catch (error) {
        await giveUp(hit, error)
      }
    }
    return enriched
  }

  async function storeAll(partitions: number[], hits: EnrichedHit[]): Promise<Stored> {
    const result = await storeWithBisection(
      hits,
      part => retryUntilStopped(() => storeReachable(partitions, part)),
      giveUp,
    )
    count('stored', result.stored)
    count('repeated', result.repeated)
    count('dropped', result.dropped + result.expired.length)
    for (const [kind, count] of Object.entries(result.others))
      if (count > 0) metrics?.others.inc({ kind }, count)
    for (const { siteNo, day, kind } of result.filled) {
      const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
      log.warn({ siteNo, day: date, kind }, 'no room for more values today: new ones count under (other)')
    }
    metrics?.batchSize.observe(hits.length)
    return result
  }

  /** Stores a batch without the hits of sites that are known to be unreachable. */
  async function storeReachable(partitions: number[], hits: EnrichedHit[]): Promise<Stored> {
    const waiting = hits.filter(hit => unreachable.has(hit.siteNo))
    const reachable = waiting.length > 0 ? hits.filter(hit => !unreachable.has(hit.siteNo)) : hits
    try {
      const stored =
        reachable.length > 0 ? await storeHits(db, partitions, reachable, mostValues) : nothingStored()
      return { ...stored, unreachable: waiting }
    } catch (error) {
      // The next attempt leaves out what this one could not reach.
      if (isUnavailable(error)) await unreachable.ask()
      throw error
    }
  }

  /** Retries while the job stays in the queue; never settles after `stop`. */
  async function retryUntilStopped<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await retry(run, {
        ...STORE_RETRY,
        shouldRetry: (error, attempt) => !isStopped && STORE_RETRY.shouldRetry(error, attempt),
        onRetry: (error, attempt) => log.warn({ error, attempt }, 'storing waits'),
      })
    } catch (error) {
      if (isDataFault(error)) throw error
      return new Promise(() => {})
    }
  }

  async function giveUp(hit: unknown, error: unknown): Promise<void> {
    const letter = await retryUntilStopped(() => moveToDeadLetters(db, hit, error))
    counts.dead += 1
    metrics?.deadLetters.inc()
    log.error(letter, 'a hit could not be stored; it is in dead_letters')
  }

  return {
    /** Totals since the start. */
    counts,
    /** Resolves when every hit of the batch is stored, dropped or a dead letter; waits while the database is unavailable. */
    async consume(batch: HitBatch): Promise<void> {
      const isSecondTry = batch?.isSecondTry === true
      atWork += 1
      try {
        const parts = partsOf(batch).map(part => batcher.add({ ...part, isSecondTry }))
        // Wait for all parts: otherwise some would still be in progress when the job is delivered again.
        for (const outcome of await Promise.allSettled(parts)) {
          if (outcome.status === 'rejected') throw outcome.reason
        }
      } finally {
        atWork -= 1
      }
    },
    /** Returns the number of jobs in progress. */
    waiting: () => atWork,
    /** Stops retries: waiting batches never complete, and their jobs stay in the queue. */
    stop() {
      isStopped = true
      unreachable.stop()
    },
  }
}

export type HitConsumer = ReturnType<typeof createHitConsumer>

/** Returns the parts of a job with only those of their hits that are among `hits`. */
function partsWith(hits: EnrichedHit[], parts: PartitionHits[]): HitBatch['parts'] {
  const ids = new Set(hits.map(hit => hit.id))
  return parts
    .map(part => ({
      partition: part.partition,
      hits: part.hits.filter(hit => ids.has((hit as Partial<Hit> | null)?.id ?? '')) as Hit[],
    }))
    .filter(part => part.hits.length > 0)
}

/** Splits a job by partition; invalid job data becomes one hit, which then becomes a dead letter. */
function partsOf(batch: unknown): { partition: number; hits: unknown[] }[] {
  const { parts } = (batch ?? {}) as Partial<HitBatch>
  if (Array.isArray(parts) && parts.every(part => Array.isArray(part?.hits))) return parts
  return [{ partition: 0, hits: [batch] }]
}
