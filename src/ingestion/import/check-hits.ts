import type { Db } from '../../platform/db/connect.ts'
import { createPauses } from '../../platform/lib/pauses.ts'
import type { Geo } from '../edge/geo.ts'
import { findStored } from '../store/find-stored.ts'
import type { Imported, ImportProgress } from './import-hits.ts'
import { createLineReader, type Entry, type ImportSite } from './line-reader.ts'
import { readLines } from './lines.ts'
import { createRejects } from './rejects.ts'
import { readIdentity } from './restored-hit.ts'

export interface Checked extends Imported {
  /** How many of the accepted hits an earlier import has stored. */
  repeated: number
}

/**
 * Says what an import of a file would give, without storing anything. Engagement and web vitals count as accepted, although an
 * import drops them where they have no pageview.
 */
export async function checkHits(
  site: ImportSite,
  source: AsyncIterable<Buffer>,
  options: {
    db: Db
    geo: Geo
    now: () => Date
    onProgress?: (progress: ImportProgress) => void
    /** Awaited before each line. @throws to stop */
    pass?: (() => Promise<void> | undefined) | undefined
  },
): Promise<Checked> {
  const { db, onProgress, pass } = options
  const reader = await createLineReader(site, options)
  const rejects = createRejects()
  const pause = createPauses()
  let accepted = 0
  let dropped = 0
  let repeated = 0

  function count(entry: Entry) {
    const { endpoint } = entry
    const read = () => (endpoint === 'identity' ? readIdentity(entry.body) : reader.readHit(endpoint, entry))
    const checked = rejects.unlessRejected(entry.line, read, 'body.')
    if (!checked) return
    if (checked.value) accepted += 1
    else dropped += 1
  }

  for await (const lines of readLines(source)) {
    const entries: Entry[] = []
    for (const line of lines) {
      await pause()
      const entry = rejects.unlessRejected(line.number, () => reader.readEntry(line))
      if (entry) entries.push(entry.value)
    }
    repeated += (await findStored(db, entries)).size
    for (const entry of entries) {
      await pause()
      await pass?.()
      count(entry)
    }
    onProgress?.({ accepted, dropped, rejected_total: rejects.total })
  }
  return { accepted, dropped, repeated, rejected: rejects.first(), rejected_total: rejects.total }
}
