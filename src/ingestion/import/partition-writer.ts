import type { EnrichedHit } from '../hit.ts'
import type { Stored } from '../store/store.ts'

/** Bounds the memory that very long lines can take. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** Most engagement hits that wait for another try. */
const MAX_WAITING = 1_000

export interface PartitionWriter {
  /**
   * Takes a hit, in the order of the file.
   * @param bytes length of its line
   * @returns undefined, or what must be awaited before the next one is given
   * @throws what storing threw
   */
  add(hit: EnrichedHit, bytes: number): Promise<void> | undefined
  /** Stores what is left. @throws what storing threw */
  finish(): Promise<void>
}

/**
 * Stores the hits of one partition in batches, one after another; while one is stored, the next one gathers. Batches
 * end at the same hits each time a file is imported.
 *
 * Times in files are often cut to seconds, so that engagement can stand before a pageview of the same time. What has
 * found no pageview is tried once more after all lines of its time; else a second import of the same file would find
 * the pageview that the first one did not.
 */
export function createPartitionWriter(options: {
  batchHits: number
  store: (hits: EnrichedHit[]) => Promise<Stored>
  onStored: (counts: { accepted: number; dropped: number }) => void
}): PartitionWriter {
  let batch: EnrichedHit[] = []
  let batchBytes = 0
  let waiting: EnrichedHit[] = []
  let running: Promise<void> | undefined
  let failure: unknown

  function flush(): Promise<void> {
    const before = running ?? Promise.resolve()
    const hits = batch
    batch = []
    batchBytes = 0
    running = before
      .then(() => (failure === undefined ? store(hits) : undefined))
      .catch(error => {
        failure = error
      })
    // The batch before this one: at most one is stored while another gathers.
    return before
  }

  async function store(hits: EnrichedHit[]): Promise<void> {
    const retried = new Set(waiting.map(hit => hit.id))
    // Behind everything of their time.
    const again = waiting.map(hit => ({ ...hit, line: Number.MAX_SAFE_INTEGER }))
    waiting = []
    if (hits.length + again.length === 0) return
    const { stored, repeated, pageless } = await options.store([...again, ...hits])
    const last = hits.reduce((latest, hit) => Math.max(latest, hit.at), Number.NEGATIVE_INFINITY)
    const pageviews = pageless.length > 0 ? pageviewsOf(hits) : new Set<string>()
    for (const hit of pageless) {
      const mayFind = hit.at >= last || (!retried.has(hit.id) && pageviews.has(pageviewKey(hit)))
      if (mayFind && waiting.length < MAX_WAITING && hits.length > 0) waiting.push(hit)
    }
    options.onStored({ accepted: stored + repeated, dropped: pageless.length - waiting.length })
  }

  return {
    add(hit, bytes) {
      if (failure !== undefined) throw failure
      batch.push(hit)
      batchBytes += bytes
      return batch.length >= options.batchHits || batchBytes >= MAX_BATCH_BYTES ? flush() : undefined
    },
    async finish() {
      void flush()
      await flush()
      await running
      if (failure !== undefined) throw failure
    },
  }
}

const pageviewKey = (hit: EnrichedHit) => `${hit.at}/${hit.visitorId}/${hit.path}`

const pageviewsOf = (hits: EnrichedHit[]) =>
  new Set(hits.filter(hit => hit.type === 'pageview').map(pageviewKey))
