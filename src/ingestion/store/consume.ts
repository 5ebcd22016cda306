import { type Db, isDataFault } from '../../infra/db.ts'
import type { Log } from '../../infra/log.ts'
import type { Metrics } from '../../infra/metrics.ts'
import { EARLIER_QUEUES } from '../../infra/queue/layout.ts'
import type { Producer } from '../../infra/queue/producer.ts'
import type { EarlierBatch, EnrichedHit, Hit, HitBatch } from '../hit.ts'
import { enrich } from '../stages/index.ts'
import { buryHit } from './dead-letters.ts'
import { createGathering, type Part } from './gathering.ts'
import { storeHits } from './store.ts'
import { persistently, storeSound } from './store-sound.ts'

/** How long engagement waits for its pageview. */
const PAGE_WAIT_MS = 1_000

export interface Ingest {
  /**
   * Resolves when every hit of the batch is stored, dropped or a dead letter; waits while the database is away.
   * @param queue it was in
   */
  take(batch: HitBatch | EarlierBatch, queue: string): Promise<void>
  /** Stops trying again: batches that wait are never done, and their jobs stay in the queue. */
  stop(): void
  /** Jobs taken and not yet done. */
  waiting(): number
  /** Totals since the start. */
  readonly counts: { stored: number; repeated: number; dropped: number; dead: number; batches: number }
}

/** The storing half of ingestion. */
export function createIngest(options: {
  db: Db
  /** The queue the batches come from. */
  later: Producer<HitBatch>
  log: Log
  metrics?: Metrics
  /** Distinct values of a site and day, as `storeHits` takes them. */
  mostValues?: number
}): Ingest {
  const { db, later, log, metrics, mostValues } = options
  const counts = { stored: 0, repeated: 0, dropped: 0, dead: 0, batches: 0 }
  const gathering = createGathering(storeParts)
  let isStopped = false
  let atWork = 0

  async function storeParts(parts: Part[]): Promise<void> {
    try {
      const partitions = [...new Set(parts.map(part => part.partition))]
      const pageless = await storeAll(partitions, await enrichAll(parts.flatMap(part => part.hits)))
      counts.batches += 1
      if (pageless.length > 0) await putOff(pageless, parts)
      for (const part of parts) part.resolve()
    } catch (error) {
      for (const part of parts) part.reject(error)
    }
  }

  /** Lets engagement wait once for a pageview that another worker took a moment later; after that it is dropped. */
  async function putOff(pageless: EnrichedHit[], parts: Part[]): Promise<void> {
    const ids = new Set(pageless.map(hit => hit.id))
    const again: HitBatch['parts'] = []
    for (const { partition, hits, isSecondTry } of parts) {
      if (isSecondTry) continue
      const waiting = hits.filter(hit => ids.has((hit as Partial<Hit> | null)?.id ?? '')) as Hit[]
      if (waiting.length > 0) again.push({ partition, hits: waiting })
    }
    if (again.length > 0) await later.add({ parts: again, isSecondTry: true }, PAGE_WAIT_MS)
    note('dropped', pageless.length - again.reduce((sum, part) => sum + part.hits.length, 0))
  }

  function note(what: 'stored' | 'repeated' | 'dropped', count: number) {
    counts[what] += count
    if (what === 'dropped') metrics?.dropped.inc({ reason: 'not_recorded' }, count)
    else metrics?.[what].inc(count)
  }

  async function enrichAll(hits: unknown[]): Promise<EnrichedHit[]> {
    const enriched: EnrichedHit[] = []
    for (const hit of hits) {
      try {
        enriched.push(enrich(hit as Hit))
      } catch (error) {
        await bury(hit, error)
      }
    }
    return enriched
  }

  /** @returns engagement whose pageview is not there */
  async function storeAll(partitions: number[], hits: EnrichedHit[]): Promise<EnrichedHit[]> {
    const result = await storeSound(
      hits,
      part => patiently(() => storeHits(db, partitions, part, mostValues)),
      bury,
    )
    note('stored', result.stored)
    note('repeated', result.repeated)
    note('dropped', result.dropped)
    for (const [kind, count] of Object.entries(result.others))
      if (count > 0) metrics?.others.inc({ kind }, count)
    for (const { siteNo, day, kind } of result.filled) {
      const date = new Date(day * 86_400_000).toISOString().slice(0, 10)
      log.warn({ siteNo, day: date, kind }, 'no room for more values today: new ones count under (other)')
    }
    metrics?.batchSize.observe(hits.length)
    return result.pageless
  }

  /** With the job still in the queue; never settles once the service stops. */
  async function patiently<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await persistently(run, {
        isPatient: () => !isStopped,
        onWait: (error, attempt) => log.warn({ error, attempt }, 'storing waits'),
      })
    } catch (error) {
      if (isDataFault(error)) throw error
      return new Promise(() => {})
    }
  }

  async function bury(hit: unknown, error: unknown): Promise<void> {
    const letter = await patiently(() => buryHit(db, hit, error))
    counts.dead += 1
    metrics?.deadLetters.inc()
    log.error(letter, 'a hit could not be stored; it is in dead_letters')
  }

  return {
    counts,
    async take(batch, queue) {
      const isSecondTry = batch?.isSecondTry === true
      atWork += 1
      try {
        const parts = partsOf(batch, queue).map(
          ({ partition, hits }) =>
            new Promise<void>((resolve, reject) =>
              gathering.add({ partition, hits, isSecondTry, resolve, reject }),
            ),
        )
        // All, or those that are left would still be at work when the job comes again.
        for (const outcome of await Promise.allSettled(parts)) {
          if (outcome.status === 'rejected') throw outcome.reason
        }
      } finally {
        atWork -= 1
      }
    },
    waiting: () => atWork,
    stop() {
      isStopped = true
    },
  }
}

/** What of a job is of which partition; what is no batch at all becomes a dead letter on its way. */
function partsOf(batch: unknown, queue: string): { partition: number; hits: unknown[] }[] {
  const { parts, hits } = (batch ?? {}) as Partial<HitBatch & EarlierBatch>
  if (Array.isArray(parts) && parts.every(part => Array.isArray(part?.hits))) return parts
  const partition = Math.max(0, EARLIER_QUEUES.indexOf(queue))
  return [{ partition, hits: Array.isArray(hits) ? hits : [batch] }]
}
