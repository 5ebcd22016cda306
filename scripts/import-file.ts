import { open } from 'node:fs/promises'
import { type Imported, type ImportProgress, importHits } from '../src/ingestion/import/import-hits.ts'
import type { Lease } from '../src/redis/lease.ts'
import { type AnySite, findSiteAnywhere } from '../src/sites/find-site.ts'
import { withImportServices } from './import-services.ts'
import { secondsSince, showProgress } from './progress.ts'
import type { Tools } from './tools.ts'

const CHUNK_BYTES = 1024 * 1024

export interface Source {
  chunks: AsyncIterable<Buffer>
  /** Share of the source that has been read, 0 to 1; 0 when the size is unknown. */
  part(): number
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

  function onProgress({ accepted, dropped, rejected_total }: ImportProgress) {
    const rate = Math.round((accepted + dropped) / secondsSince(startedAt))
    const note = `${accepted + dropped} hits, ${rate}/s, ${rejected_total} rejected`
    progress.part(source.part(), note)
  }

  return withImportServices(tools, tools.lease, services =>
    services.refresher.during(onWritten =>
      importHits(site, source.chunks, { ...services, onWritten, onProgress }),
    ),
  ).finally(progress.end)
}

async function openSource(file: string): Promise<Source> {
  if (file === '-') return { chunks: process.stdin, part: () => 0 }
  const handle = await open(file)
  const { size } = await handle.stat()
  const stream = handle.createReadStream({ highWaterMark: CHUNK_BYTES })
  return { chunks: stream, part: () => (size > 0 ? stream.bytesRead / size : 0) }
}
