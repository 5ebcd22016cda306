/** What a job has for one partition. */
export interface Part {
  partition: number
  hits: unknown[]
  /** Engagement that has waited for its pageview once. */
  isSecondTry: boolean
  resolve: () => void
  reject: (error: unknown) => void
}

/** Most hits of one transaction. */
const MAX_HITS = 5_000
/** As many that wait are worth a transaction of each partition, beside each other. */
const SPREAD_HITS = 2_000
/** What a transaction costs however few hits it has is paid no more often than so. */
const PACE_MS = 20

/**
 * Gathers parts of jobs into transactions. Parts of all partitions share one, and what comes while it runs becomes the next,
 * so that a busy service pays for few of them; one that was idle begins at once. When much waits, the partitions go their
 * own ways.
 * @param run stores the parts in one transaction, and settles them; never rejects
 */
export function createGathering(run: (parts: Part[]) => Promise<void>): { add(part: Part): void } {
  const waiting = new Map<number, Part[]>()
  const running = new Set<number>()
  let isDue = false
  let lastStart = Number.NEGATIVE_INFINITY

  /** Partitions that something waits for and nothing runs of, and how many hits wait for them. */
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
    // The parts of one job come one after the other.
    if (pause > 0) setTimeout(begin, pause)
    else setImmediate(begin)
  }

  function start(): void {
    const { partitions, hits } = ready()
    if (hits >= SPREAD_HITS) for (const partition of partitions) void launch([partition])
    else if (partitions.length > 0) void launch(partitions)
  }

  async function launch(partitions: number[]): Promise<void> {
    const parts = take(partitions)
    for (const partition of partitions) running.add(partition)
    lastStart = performance.now()
    await run(parts)
    for (const partition of partitions) running.delete(partition)
    schedule()
  }

  /** At least one part, and no more than a transaction should have. */
  function take(partitions: number[]): Part[] {
    const taken: Part[] = []
    let size = 0
    for (const partition of partitions) {
      const parts = waiting.get(partition)!
      let count = 0
      while (
        count < parts.length &&
        (taken.length + count === 0 || size + parts[count]!.hits.length <= MAX_HITS)
      ) {
        size += parts[count++]!.hits.length
      }
      taken.push(...parts.splice(0, count))
      if (parts.length === 0) waiting.delete(partition)
    }
    return taken
  }

  return {
    add(part) {
      const parts = waiting.get(part.partition)
      if (parts) parts.push(part)
      else waiting.set(part.partition, [part])
      schedule()
    },
  }
}
