import type { EnrichedHit } from '../hit.ts'
import type { Stored } from '../store/store.ts'

/** Limits the memory that very long lines can take. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024
const MAX_WAITING = 1_000

/**
 * Stores the hits of one partition in batches, one after another; while a batch is stored, the next one fills. Batches end at
 * the same hits each time a file is imported.
 *
 * Times in files are often cut to seconds, so engagement can come before a pageview of the same time. Orphan engagement is
 * tried once more after all lines of its time. Otherwise a second import of the same file would find the pageview that the
 * first import missed, and the results would differ.
 */
export function createPartitionWriter(options: {
  batchHits: number
  store: (hits: EnrichedHit[]) => Promise<Stored>
  onStored: (counts: { accepted: number; dropped: number }) => void
}) {
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
    // Return the promise of the previous batch: at most one batch is stored while another fills.
    return before
  }

  async function store(hits: EnrichedHit[]): Promise<void> {
    const retried = new Set(waiting.map(hit => hit.id))
    const again = waiting.map((hit): EnrichedHit => ({ ...hit, comesLast: true }))
    waiting = []
    if (hits.length + again.length === 0) return
    const { stored, repeated, orphanEngagement } = await options.store([...again, ...hits])
    const last = hits.reduce((latest, hit) => Math.max(latest, hit.at), Number.NEGATIVE_INFINITY)
    const pageviews = orphanEngagement.length > 0 ? pageviewsOf(hits) : new Set<string>()
    for (const hit of orphanEngagement) {
      const mayFind = hit.at >= last || (!retried.has(hit.id) && pageviews.has(pageviewKey(hit)))
      if (mayFind && waiting.length < MAX_WAITING && hits.length > 0) waiting.push(hit)
    }
    options.onStored({ accepted: stored + repeated, dropped: orphanEngagement.length - waiting.length })
  }

  return {
    /**
     * Adds a hit; hits must be added in the order of the file.
     * @param bytes length of its line
     * @returns undefined, or a promise that must be awaited before the next hit is added
     * @throws the error of an earlier batch that could not be stored
     */
    add(hit: EnrichedHit, bytes: number) {
      if (failure !== undefined) throw failure
      batch.push(hit)
      batchBytes += bytes
      return batch.length >= options.batchHits || batchBytes >= MAX_BATCH_BYTES ? flush() : undefined
    },
    /** Stores the remaining hits. @throws the error when a batch could not be stored */
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
