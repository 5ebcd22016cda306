import { connectReads } from '../../src/platform/db/connect.ts'
import { hasEmbeddedDatabase } from '../../src/platform/embedded/addresses.ts'
import { columnsSocketPathFor } from '../../src/platform/embedded/paths.ts'
import type { Services } from '../../src/platform/services.ts'
import { createFairPool } from '../../src/platform/threads/fair-pool.ts'
import { createPool } from '../../src/platform/threads/pool.ts'
import { createAskingCounter } from '../../src/stats/columns-process/ask.ts'
import type { Parts } from './parts.ts'

/** As many as one job needs: jobs run one at a time. */
const CONNECTIONS = 2
const PATTERN_PLACES = { places: 1, waiting: 10 }
const PATTERN_HEAP_MB = 256

/**
 * Returns what jobs need to read statistics as the API does: the same limits of time, the same short statements of the embedded database.
 * Connections and threads are made when a job reads, and threads end afterwards.
 */
export function createBackgroundReads({
  databaseUrl,
  config,
  threads: programs,
}: Pick<Parts, 'databaseUrl' | 'config' | 'threads'>) {
  const reads = connectReads(databaseUrl, { max: CONNECTIONS })
  const rollups = createPool({
    entry: programs.rollup,
    threads: 1,
    tasksPerThread: 4,
    workerData: { databaseUrl },
  })
  const threads = createPool({
    entry: programs.patterns,
    threads: 1,
    heapMb: PATTERN_HEAP_MB,
  })
  const counter = createAskingCounter(columnsSocketPathFor(config))
  const services: Pick<Services, 'reads' | 'readsInParts' | 'rollups' | 'patterns' | 'counter'> = {
    reads,
    readsInParts: hasEmbeddedDatabase(config),
    rollups,
    patterns: createFairPool(threads, PATTERN_PLACES),
    counter,
  }
  return {
    services,
    async close() {
      counter.close()
      await Promise.all([rollups.close(), threads.close(), reads.end({ timeout: 2 })])
    },
  }
}

export type BackgroundReads = ReturnType<typeof createBackgroundReads>
