import { open } from 'node:fs/promises'
import type { Config } from '../src/config.ts'
import type { Db } from '../src/db/connect.ts'
import { folderOfServers } from '../src/embedded/attach.ts'
import { openGeo } from '../src/ingestion/edge/geo.ts'
import { type Imported, type ImportProgress, importHits } from '../src/ingestion/import/import-hits.ts'
import type { Lease } from '../src/redis/lease.ts'
import { keepRefreshed } from '../src/rollups/keep-refreshed.ts'
import { watchDisk } from '../src/runtime/disk.ts'
import type { Log } from '../src/runtime/log.ts'
import { type AnySite, findSiteAnywhere } from '../src/sites/find-site.ts'
import { secondsSince, showProgress } from './progress.ts'

const CHUNK_BYTES = 1024 * 1024

export interface Source {
  chunks: AsyncIterable<Buffer>
  /** Share of the source that has been read, 0 to 1; 0 when the size is unknown. */
  part(): number
}

interface Services {
  db: Db
  lease: Lease
  config: Config
  log: Log
}

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

/** Imports hits into a site, and rolls them up. */
export async function importSource(
  { db, lease, config, log }: Services,
  site: AnySite,
  source: Source,
): Promise<Imported> {
  const startedAt = performance.now()
  const geo = await openGeo(config.geoipDatabase)
  const now = () => new Date()
  const progress = showProgress('importing')

  function onProgress({ accepted, dropped, rejected_total }: ImportProgress) {
    const rate = Math.round((accepted + dropped) / secondsSince(startedAt))
    const note = `${accepted + dropped} hits, ${rate}/s, ${rejected_total} rejected`
    progress.part(source.part(), note)
  }

  // Small batches, so that live traffic does not wait; smaller for the embedded database, which has only one session.
  const batchHits = config.databaseUrl ? 2_000 : 1_000
  const disk = watchDisk({ folder: folderOfServers(config), minFreeBytes: config.minFreeBytes })
  const requireFreeDisk = async () => {
    await disk.check()
    if (disk.isShort()) {
      throw new Error(
        'the disk is nearly full (MIN_FREE_DISK); make room and run it again: nothing is counted twice',
      )
    }
  }
  return keepRefreshed({ db, lease, log, now }, onWritten =>
    importHits(site, source.chunks, {
      db,
      geo,
      log,
      now,
      batchHits,
      requireFreeDisk,
      onWritten,
      onProgress,
    }),
  ).finally(() => {
    disk.stop()
    progress.end()
  })
}

async function openSource(file: string): Promise<Source> {
  if (file === '-') return { chunks: process.stdin, part: () => 0 }
  const handle = await open(file)
  const { size } = await handle.stat()
  const stream = handle.createReadStream({ highWaterMark: CHUNK_BYTES })
  return { chunks: stream, part: () => (size > 0 ? stream.bytesRead / size : 0) }
}
