import type { HitBatch } from '../../src/ingestion/hit.ts'
import { MAX_QUEUED_BYTES } from '../../src/ingestion/replays/bounds.ts'
import { createReplayConsumer } from '../../src/ingestion/replays/replay-consumer.ts'
import type { ReplayJob } from '../../src/ingestion/replays/replay-job.ts'
import { createHitConsumer } from '../../src/ingestion/store/hit-consumer.ts'
import { createBoundedQueue } from '../../src/platform/queue/bounded-queue.ts'
import { createConsumer, watchForStandstill } from '../../src/platform/queue/consumer.ts'
import { createProducer } from '../../src/platform/queue/producer.ts'
import type { Parts, Running } from './parts.ts'

const STOP_MS = 2_500
/** Jobs of hits at once. More than arrive between two transactions, so that the next one takes all that has arrived. */
const JOBS = 200

/** Stores queued hits. */
export function storeQueuedHits({ pools, redis, redisUrl, log, metrics }: Parts): Running {
  const hits = createHitConsumer({ db: pools.hits, queue: createProducer<HitBatch>(redis), log, metrics })
  const consumer = createConsumer<HitBatch>({ redisUrl, concurrency: JOBS, log, handle: hits.consume })
  const watchdog = watchForStandstill({
    redis,
    log,
    progress: () => hits.counts.batches + hits.waiting(),
    isBusy: () => hits.waiting() > 0,
  })
  return {
    stop() {
      watchdog.stop()
      hits.stop()
      return consumer.close(STOP_MS)
    },
  }
}

/** Stores queued chunks of session replays. */
export function storeQueuedReplays({ pools, redis, redisUrl, config, log, metrics, now }: Parts): Running {
  const queue = 'replays'
  const replays = createReplayConsumer({
    db: pools.replays,
    queue: createBoundedQueue<ReplayJob>(redis, queue, MAX_QUEUED_BYTES),
    producer: createProducer<ReplayJob>(redis, queue),
    config,
    log,
    metrics,
    now,
  })
  const consumer = createConsumer<ReplayJob>({
    queue,
    redisUrl,
    concurrency: 2,
    log,
    handle: replays.consume,
  })
  const watchdog = watchForStandstill({
    queue,
    redis,
    log,
    progress: () => replays.done() + replays.waiting(),
    isBusy: () => replays.waiting() > 0,
  })
  return {
    stop() {
      watchdog.stop()
      replays.stop()
      return consumer.close(STOP_MS)
    },
  }
}
