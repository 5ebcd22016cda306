import { open } from 'node:fs/promises'
import { type AnySite, findSiteAnywhere } from '../src/access/sites/find-site.ts'
import { type Imported, type ImportProgress, importHits } from '../src/ingestion/import/import-hits.ts'
import type { Lease } from '../src/platform/redis/lease.ts'
import { localDay } from '../src/platform/time/local-time.ts'
import type { Written } from '../src/storage/rollups/keep-refreshed.ts'
import { OPEN_MS } from '../src/storage/rollups/watermarks.ts'
import { withImportServices } from './import-services.ts'
import { type Progress, secondsSince, showProgress } from './progress.ts'
import type { Tools } from './tools.ts'

const CHUNK_BYTES = 1024 * 1024

export interface Source {
  chunks: AsyncIterable<Buffer>
  /** Share of the source that has been imported, 0 to 1; of a file, how much of it was read. 0 when the size is unknown. */
  part(progress: ImportProgress): number
}

type Services = Pick<Tools, 'db' | 'config' | 'log'> & { lease: Lease }

/**
 * Imports the hits of a file into a site.
 * @param options.file a path, or `-` for standard input
 */
export async function importFile(
  services: Services,
  options: { site: string; file: string },
): Promise<object> {
  const startedAt = performance.now()
  const site = await findSiteAnywhere(services.db, options.site)
  const imported = await importSource(services, site, await openSource(options.file))
  return { ...imported, seconds: secondsSince(startedAt) }
}

/**
 * Imports hits into a site, and rolls them up.
 * @param say told of each tenth where there is no terminal
 */
export async function importSource(
  tools: Services,
  site: AnySite,
  source: Source,
  say?: (text: string) => void,
): Promise<Imported> {
  const startedAt = performance.now()
  const progress = showProgress('importing', say)
  const days = countDays(site, say)

  function onProgress(imported: ImportProgress) {
    const { accepted, dropped, rejected_total } = imported
    const rate = Math.round((accepted + dropped) / secondsSince(startedAt))
    const note = `${accepted + dropped} hits, ${rate}/s, ${rejected_total} rejected`
    progress.part(source.part(imported), note)
  }

  const services = { ...tools, onRolledUp: days.onRolledUp }
  return withImportServices(services, tools.lease, async services => {
    const imported = await services.refresher
      .during(onWritten =>
        importHits(site, source.chunks, {
          ...services,
          onWritten(written) {
            days.onWritten(written)
            onWritten(written)
          },
          onProgress,
        }),
      )
      .finally(progress.end)
    // What is left is rolled up before the call returns.
    days.show()
    return imported
  }).finally(days.end)
}

/** Counts the days that are rolled up while an import runs and after it, and shows how many of those that are over are left after it. */
function countDays({ timezone }: AnySite, say?: (text: string) => void) {
  const rolledUp = new Set<number>()
  let written: Written | undefined
  let progress: Progress | undefined

  function part(): void {
    if (!written) return
    const lastOver = localDay(timezone, Date.now() - OPEN_MS) - 1
    const total = Math.min(localDay(timezone, written.to), lastOver) - localDay(timezone, written.from) + 1
    if (total > 0) progress?.part(rolledUp.size / total, `${rolledUp.size} of ${total} days`)
  }
  return {
    onWritten(now: Written): void {
      written = now
    },
    onRolledUp(start: number): void {
      rolledUp.add(start)
      part()
    },
    show(): void {
      progress = showProgress('rolling up', say)
      part()
    },
    end: () => progress?.end(),
  }
}

async function openSource(file: string): Promise<Source> {
  if (file === '-') return { chunks: process.stdin, part: () => 0 }
  const handle = await open(file)
  const { size } = await handle.stat()
  const stream = handle.createReadStream({ highWaterMark: CHUNK_BYTES })
  return { chunks: stream, part: () => (size > 0 ? stream.bytesRead / size : 0) }
}
