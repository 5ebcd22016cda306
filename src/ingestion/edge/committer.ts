import { createGroupCommit, type GroupCommit } from '../../infra/group-commit.ts'
import type { Producer } from '../../infra/queue.ts'
import type { Hit, HitBatch } from '../hit.ts'

export interface QueuedHit {
  hit: Hit
  partition: number
}

/** Hits of one round trip to Redis. */
const MAX_BATCH = 1_000
/** Beyond this many waiting hits of a worker, senders are told to come again. */
const MAX_WAITING = 20_000

/** Group commit of hits: each batch becomes one job a partition, all in one pipeline. */
export function createHitCommitter(producer: Producer<HitBatch>): GroupCommit<QueuedHit> {
  return createGroupCommit<QueuedHit>({
    maxBatch: MAX_BATCH,
    maxInFlight: 2,
    maxWaiting: MAX_WAITING,
    async commit(items) {
      const failures: unknown[] = new Array(items.length).fill(undefined)
      const partitions = new Map<number, number[]>()
      items.forEach(({ partition }, index) => {
        const indexes = partitions.get(partition)
        if (indexes) indexes.push(index)
        else partitions.set(partition, [index])
      })
      await Promise.all(
        [...partitions].map(async ([partition, indexes]) => {
          try {
            await producer.add(partition, { hits: indexes.map(index => items[index]!.hit) })
          } catch (error) {
            for (const index of indexes) failures[index] = error
          }
        }),
      )
      return failures
    },
  })
}
