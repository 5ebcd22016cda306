import type { Db } from '../../db/connect.ts'
import { isDataFault } from '../../db/errors.ts'
import { retry } from '../../lib/retry.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Producer } from '../../queue/producer.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import type { EnrichedHit, Hit, HitBatch } from '../hit.ts'
import { enrich } from '../stages/index.ts'
import { moveToDeadLetters } from './dead-letters.ts'
import { STORE_RETRY, storeHits, storeWithBisection } from './store.ts'
import { createStoreBatcher, type PartitionHits } from './store-batcher.ts'

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
}) {
  const { db, queue, log, metrics, mostValues } = options
  const counts = { stored: 0, repeated: 0, dropped: 0, dead: 0, batches: 0 }
  const batcher = createStoreBatcher(storeParts)
  let isStopped = false
  let atWork = 0

  async function storeParts(parts: PartitionHits[]): Promise<void> {
    const partitions = [...new Set(parts.map(part => part.partition))]
    const orphanEngagement = await storeAll(partitions, await enrichAll(parts.flatMap(part => part.hits)))
    counts.batches += 1
    if (orphanEngagement.length > 0) await requeue(orphanEngagement, parts)
  }

  /** Queues orphan engagement once more, because another worker may store its pageview a moment later; then drops it. */
  async function requeue(orphanEngagement: EnrichedHit[], parts: PartitionHits[]): Promise<void> {
    const ids = new Set(orphanEngagement.map(hit => hit.id))
    const again: HitBatch['parts'] = []
    for (const { partition, hits, isSecondTry } of parts) {
      if (isSecondTry) continue
      const waiting = hits.filter(hit => ids.has((hit as Partial<Hit> | null)?.id ?? '')) as Hit[]
      if (waiting.length > 0) again.push({ partition, hits: waiting })
    }
    if (again.length > 0) await queue.add({ parts: again, isSecondTry: true }, PAGE_WAIT_MS)
    count('dropped', orphanEngagement.length - again.reduce((sum, part) => sum + part.hits.length, 0))
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

  /** @returns orphan engagement */
  async function storeAll(partitions: number[], hits: EnrichedHit[]): Promise<EnrichedHit[]> {
    const result = await storeWithBisection(
      hits,
      part => retryUntilStopped(() => storeHits(db, partitions, part, mostValues)),
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
    return result.orphanEngagement
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
    },
  }
}

export type HitConsumer = ReturnType<typeof createHitConsumer>

/** Splits a job by partition; invalid job data becomes one hit, which then becomes a dead letter. */
function partsOf(batch: unknown): { partition: number; hits: unknown[] }[] {
  const { parts } = (batch ?? {}) as Partial<HitBatch>
  if (Array.isArray(parts) && parts.every(part => Array.isArray(part?.hits))) return parts
  return [{ partition: 0, hits: [batch] }]
}
