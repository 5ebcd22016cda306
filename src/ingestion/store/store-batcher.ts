export interface PartitionHits {
  partition: number
  hits: unknown[]
  /** True for orphan engagement that has already waited once for its pageview. */
  isSecondTry: boolean
}

interface Waiting extends PartitionHits {
  resolve: () => void
  reject: (error: unknown) => void
}

/** Maximum hits of one transaction; a larger single part gets a transaction of its own. */
const MAX_HITS = 5_000
/** From this number of waiting hits on, each partition gets its own concurrent transaction. */
const SPREAD_HITS = 2_000
/** Minimum interval between starts of small transactions: limits how often their fixed cost is paid. */
const PACE_MS = 50

/**
 * Creates the store batcher, which combines parts of jobs into transactions. Parts of all partitions share a transaction, and
 * parts that arrive while it runs form the next one, so that a busy service needs few transactions; an idle service starts at
 * once. When many hits wait, each partition runs its own transactions.
 * @param store stores the parts in one transaction
 */
export function createStoreBatcher(store: (parts: PartitionHits[]) => Promise<void>) {
  const waiting = new Map<number, Waiting[]>()
  const running = new Set<number>()
  let isDue = false
  let lastStart = Number.NEGATIVE_INFINITY

  /** Returns the partitions that have waiting hits and no running transaction, and the number of these hits. */
  function ready(): { partitions: number[]; hits: number } {
    const partitions = [...waiting.keys()].filter(partition => !running.has(partition))
    const hits = partitions
      .flatMap(partition => waiting.get(partition)!)
      .reduce((sum, part) => sum + part.hits.length, 0)
    return { partitions, hits }
  }

  function schedule(): void {
    if (isDue) return
    const { partitions, hits } = ready()
    if (partitions.length === 0) return
    if (running.size > 0 && hits < SPREAD_HITS) return
    isDue = true
    const begin = () => {
      isDue = false
      start()
    }
    const pause = hits < SPREAD_HITS ? lastStart + PACE_MS - performance.now() : 0
    // Defer the start: the parts of one job are added one after the other in the same tick.
    if (pause > 0) setTimeout(begin, pause)
    else setImmediate(begin)
  }

  function start(): void {
    const { partitions, hits } = ready()
    if (hits >= SPREAD_HITS) for (const partition of partitions) void launch([partition])
    else if (partitions.length > 0) void launch(partitions)
  }

  async function launch(partitions: number[]): Promise<void> {
    const parts = dequeue(partitions)
    for (const partition of partitions) running.add(partition)
    lastStart = performance.now()
    try {
      await store(parts)
      for (const part of parts) part.resolve()
    } catch (error) {
      for (const part of parts) part.reject(error)
    }
    for (const partition of partitions) running.delete(partition)
    schedule()
  }

  /** Removes waiting parts for one transaction: at least one part, and at most `MAX_HITS` hits if more than one. */
  function dequeue(partitions: number[]): Waiting[] {
    const dequeued: Waiting[] = []
    let size = 0
    for (const partition of partitions) {
      const parts = waiting.get(partition)!
      let count = 0
      while (
        count < parts.length &&
        (dequeued.length + count === 0 || size + parts[count]!.hits.length <= MAX_HITS)
      ) {
        size += parts[count++]!.hits.length
      }
      dequeued.push(...parts.splice(0, count))
      if (parts.length === 0) waiting.delete(partition)
    }
    return dequeued
  }

  return {
    /** Resolves when the hits are stored; rejects with the error of their transaction. */
    add(part: PartitionHits) {
      return new Promise<void>((resolve, reject) => {
        const entry = { ...part, resolve, reject }
        const parts = waiting.get(part.partition)
        if (parts) parts.push(entry)
        else waiting.set(part.partition, [entry])
        schedule()
      })
    },
  }
}
