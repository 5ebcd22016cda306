import { join } from 'node:path'
import { openGeo } from '../src/ingestion/edge/geo.ts'
import type { ImportServices } from '../src/outgoing/transfer/imports/import-kind.ts'
import { folderOfServers } from '../src/platform/embedded/addresses.ts'
import type { Lease } from '../src/platform/redis/lease.ts'
import { watchDisk } from '../src/platform/runtime/disk.ts'
import { createRefresher } from '../src/storage/rollups/keep-refreshed.ts'
import type { Tools } from './tools.ts'

type Options = Pick<Tools, 'db' | 'config' | 'log'> &
  Pick<Parameters<typeof createRefresher>[0], 'onRolledUp'>

/** Runs a command that imports, and refreshes what it has written. It stops with an error while the disk of the embedded servers is nearly full. */
export async function withImportServices<Result>(
  { db, config, log, onRolledUp }: Options,
  lease: Lease,
  run: (services: ImportServices) => Promise<Result>,
): Promise<Result> {
  const geo = await openGeo(config.geoipDatabase)
  const disk = watchDisk({ folder: folderOfServers(config), minFreeBytes: config.importMinFreeBytes })
  const requireFreeDisk = async () => {
    await disk.check()
    if (disk.isShort()) {
      throw new Error(
        'the disk is nearly full: imports need twice MIN_FREE_DISK; make room and run it again: nothing is counted twice',
      )
    }
  }
  const now = () => new Date()
  const refresher = createRefresher({ db, lease, log, now, onRolledUp })
  try {
    return await run({
      db,
      refresher,
      log,
      geo,
      now,
      // Smaller for the embedded database, which has only one session.
      batchHits: config.databaseUrl ? 2_000 : 1_000,
      folder: join(config.dataDir, 'imports'),
      requireFreeDisk,
    })
  } finally {
    await refresher.finish()
    disk.stop()
  }
}
