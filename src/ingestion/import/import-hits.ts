import type { Db } from '../../platform/db/connect.ts'
import { createPauses } from '../../platform/lib/pauses.ts'
import type { Log } from '../../platform/runtime/log.ts'
import { createChunkOpener } from '../../storage/rollups/columnstore.ts'
import type { Written } from '../../storage/rollups/keep-refreshed.ts'
import type { Geo } from '../edge/geo.ts'
import { type EnrichedHit, PARTITIONS } from '../hit.ts'
import { SESSION_SPAN_MS } from '../store/batch-context.ts'
import { findStored } from '../store/find-stored.ts'
import { retryForAMinute, storeHits, storeWithBisection } from '../store/store.ts'
import { type IdentityOfUser, storeIdentities } from '../store/store-identities.ts'
import { createLineReader, type Entry, type ImportSite } from './line-reader.ts'
import { type Line, readLines } from './lines.ts'
import { createPartitionWriter } from './partition-writer.ts'
import { createRejects, type Rejected } from './rejects.ts'
import { readIdentity } from './restored-hit.ts'
import { createWrittenTimes } from './written-times.ts'

export interface Imported {
  /** Hits that are stored, including those of an earlier run. */
  accepted: number
  /** Hits that live ingestion would drop too: crawlers, reserved names, orphan engagement. */
  dropped: number
  /** First 1,000 rejected lines, by line number. */
  rejected: Rejected[]
  rejected_total: number
}

export type ImportProgress = Pick<Imported, 'accepted' | 'dropped' | 'rejected_total'>

export interface ImportOptions {
  db: Db
  geo: Geo
  log: Log
  now: () => Date
  /** Maximum hits of a transaction. */
  batchHits: number
  /** Format of another product that the lines were converted from; their visitors are marked with it. */
  importedAs?: string | undefined
  /** Lines come from this very site: errors whose stored message is cut keep their ids. */
  keepsErrorIds?: boolean | undefined
  /** Limit of distinct values of a site and day; see `storeHits`. */
  mostValues?: number
  /** Called before a batch is stored. @throws when there is not enough free disk space */
  requireFreeDisk?: (() => Promise<void>) | undefined
  /** Called after each stored batch with the times that are written so far. */
  onWritten?: (written: Written) => void
  /** Called after some lines are read, and after each stored batch. */
  onProgress?: (progress: ImportProgress) => void
  /** Stops the import after what it has read so far; it then throws the reason of the signal. */
  signal?: AbortSignal | undefined
  /** Awaited before each line. May throw when the signal aborts. */
  pass?: (() => Promise<void> | undefined) | undefined
}

/**
 * Imports the lines of a file, which must be in time order, through the same steps as live hits. The import can be
 * interrupted at any point and run again with the same file: hits that are already stored count as accepted.
 * @returns the counts, after everything is stored
 * @throws the database error when the database stays unavailable, and an error when the site is deleted during the import
 */
export async function importHits(
  site: ImportSite,
  source: AsyncIterable<Buffer>,
  options: ImportOptions,
): Promise<Imported> {
  const { db, log, batchHits, onWritten, onProgress } = options
  const reader = await createLineReader(site, options)
  const openChunks = createChunkOpener(db)
  const recordWritten = createWrittenTimes(onWritten)
  const rejects = createRejects()
  const pause = createPauses()
  let accepted = 0
  let dropped = 0
  // True while lines are found to be stored already: checking before parsing and enriching them is cheaper then.
  let isSkipping = true
  let identities: IdentityOfUser[] = []

  const writers = Array.from({ length: PARTITIONS }, (_, partition) =>
    createPartitionWriter({
      batchHits,
      store: hits => storeAll(partition, hits),
      onStored(counts) {
        accepted += counts.accepted
        dropped += counts.dropped
        sayProgress()
      },
    }),
  )

  const sayProgress = () => onProgress?.({ accepted, dropped, rejected_total: rejects.total })

  async function storeAll(partition: number, hits: EnrichedHit[]) {
    await options.requireFreeDisk?.()
    const times = hits.map(hit => hit.at)
    // A hit can change sessions that began up to a day before or after it.
    const [from, to] = [Math.min(...times) - SESSION_SPAN_MS, Math.max(...times) + SESSION_SPAN_MS]
    await withRetries(() => openChunks(from, to))
    const result = await storeWithBisection(
      hits,
      part => withRetries(() => storeHits(db, partition, part, options.mostValues)),
      async (hit, error) => rejects.add(hit.line!, (error as Error).message),
    )
    for (const { hit, reason } of result.refused) rejects.add(hit.line!, reason)
    for (const hit of result.expired)
      rejects.add(hit.line!, 'its details were dropped by retention meanwhile')
    if (result.dropped > 0) throw new Error('the site was deleted while its hits were imported')
    if (result.repeated > 0) isSkipping = true
    recordWritten(partition, hits)
    return result
  }

  const withRetries = <Result>(run: () => Promise<Result>) => retryForAMinute(log, run)

  async function addIdentity({ line, at, body }: Entry): Promise<void> {
    const identity = rejects.unlessRejected(line, () => readIdentity(body), 'body.')
    if (!identity) return
    identities.push({ siteNo: site.siteNo, at, identity: identity.value })
    if (identities.length >= batchHits) await flushIdentities()
  }

  async function flushIdentities(): Promise<void> {
    const rows = identities
    identities = []
    await options.requireFreeDisk?.()
    await withRetries(() => storeIdentities(db, site.siteNo, rows))
    accepted += rows.length
  }

  async function addEntry(entry: Entry): Promise<void> {
    const { endpoint } = entry
    if (endpoint === 'identity') return addIdentity(entry)
    const routed = rejects.unlessRejected(entry.line, () => reader.readHit(endpoint, entry), 'body.')
    if (!routed) return
    if (!routed.value) dropped += 1
    else await writers[routed.value.partition]!.add(routed.value.hit, entry.bytes)
  }

  async function addLines(lines: Line[]): Promise<void> {
    const entries: Entry[] = []
    for (const line of lines) {
      await pause()
      const entry = rejects.unlessRejected(line.number, () => reader.readEntry(line))
      if (entry) entries.push(entry.value)
    }
    const known = isSkipping ? await withRetries(() => findStored(db, entries)) : new Set()
    if (known.size === 0) isSkipping = false
    accepted += known.size
    for (const entry of entries) {
      await pause()
      await options.pass?.()
      if (!known.has(entry.id)) await addEntry(entry)
    }
    sayProgress()
  }

  try {
    for await (const lines of readLines(source)) {
      if (options.signal?.aborted) break
      await addLines(lines)
    }
  } catch (error) {
    // What was read so far is stored all the same: nothing may be written any more when the import has stopped.
    if (!options.signal?.aborted) throw error
  }
  await Promise.all(writers.map(writer => writer.finish()))
  await flushIdentities()
  options.signal?.throwIfAborted()
  sayProgress()
  return { accepted, dropped, rejected: rejects.first(), rejected_total: rejects.total }
}
