import type { Config } from '../../platform/config/config.ts'
import type { Db } from '../../platform/db/connect.ts'
import { isDataFault } from '../../platform/db/database-errors.ts'
import { retry } from '../../platform/lib/retry.ts'
import { HOUR_MS } from '../../platform/lib/time.ts'
import type { BoundedQueue } from '../../platform/queue/bounded-queue.ts'
import type { Producer } from '../../platform/queue/producer.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Metrics } from '../../platform/runtime/metrics.ts'
import { STORE_RETRY } from '../store/store.ts'
import { bytesOf, type ReplayJob, siteDay } from './replay-job.ts'
import { type ChunkOutcome, storeChunk } from './store-chunk.ts'

/** Pauses of a chunk that waits for its session, milliseconds; the last one repeats. Each writes the chunk to Redis again. */
const PAUSES_MS = [1_000, 5_000, 30_000, 120_000, 600_000]
/** A chunk waits this long for its session. */
const PATIENCE_MS = HOUR_MS

/** Creates the consumer of the queue of replays: it stores chunks. */
export function createReplayConsumer(options: {
  db: Db
  queue: BoundedQueue<ReplayJob>
  /** Queue of chunks that wait for their session; the same one. */
  producer: Pick<Producer<ReplayJob>, 'add'>
  config: Pick<Config, 'replayBytesPerSiteDay'>
  log: Log
  metrics?: Metrics
  now: () => Date
}) {
  const { db, queue, producer, config, log, metrics, now } = options
  let isStopped = false
  let atWork = 0
  let done = 0

  /** Retries while the job stays in the queue; never settles after `stop`. */
  async function store(job: ReplayJob): Promise<ChunkOutcome | 'failed'> {
    try {
      return await retry(() => storeChunk(db, job), {
        ...STORE_RETRY,
        shouldRetry: (error, attempt) => !isStopped && STORE_RETRY.shouldRetry(error, attempt),
        onRetry: (error, attempt) => log.warn({ error, attempt }, 'storing a replay waits'),
      })
    } catch (error) {
      if (!isDataFault(error)) return new Promise(() => {})
      log.error({ siteNo: job.siteNo, reason: (error as Error).message }, 'a replay could not be stored')
      return 'failed'
    }
  }

  /**
   * Stores the chunk if the day of its site has room. It is counted before, so that no more than the allowance is stored, and what is not
   * stored is taken back. A process that is killed between leaves its chunk counted.
   */
  async function storeWithin(job: ReplayJob): Promise<ChunkOutcome | 'failed'> {
    const ofSite = siteDay(job, config.replayBytesPerSiteDay)
    if (!(await queue.count(ofSite, bytesOf(job)))) return 'full'
    const outcome = await store(job)
    if (outcome !== 'stored') await queue.uncount(ofSite, bytesOf(job))
    return outcome
  }

  async function handle(job: ReplayJob): Promise<void> {
    const outcome = await storeWithin(job)
    if (outcome === 'waiting' && now().getTime() - job.at < PATIENCE_MS) {
      const tries = job.tries ?? 0
      await producer.add({ ...job, tries: tries + 1 }, PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)])
      return
    }
    await queue.release(job.jobId)
    metrics?.replays.inc({ outcome: outcome === 'waiting' ? 'no_session' : outcome })
    if (outcome === 'waiting')
      log.warn({ siteNo: job.siteNo }, 'a replay has found no session for an hour; it is dropped')
  }

  return {
    /** Resolves when the chunk is stored or given up, or waits in the queue again. */
    async consume(job: ReplayJob): Promise<void> {
      atWork += 1
      try {
        await handle(job)
      } finally {
        atWork -= 1
        done += 1
      }
    },
    /** Jobs that were handled. */
    done: () => done,
    /** Jobs in progress. */
    waiting: () => atWork,
    /** Stops retries: waiting chunks never complete, and their jobs stay in the queue. */
    stop() {
      isStopped = true
    },
  }
}
