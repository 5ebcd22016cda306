import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import type { TaskServices } from '../../src/outgoing/transfer/imports/run-task.ts'
import { unsharedTurn } from '../../src/outgoing/transfer/imports/turn.ts'
import { uploadLimits } from '../../src/outgoing/transfer/read/limits.ts'
import { createLease } from '../../src/platform/redis/lease.ts'
import type { Services } from '../../src/platform/services.ts'
import { createRefresher, REFRESHING } from '../../src/storage/rollups/keep-refreshed.ts'
import { silentLog } from './log.ts'

/** The turn of a task that no other task waits for. */
export const ALONE = unsharedTurn()

/** What an ingest process imports with, on the stores of an API. */
export async function importServices({ db, redis, config, now }: Services): Promise<TaskServices> {
  return {
    db,
    refresher: createRefresher({ db, lease: createLease(redis, REFRESHING), log: silentLog, now }),
    limits: uploadLimits(config),
    log: silentLog,
    geo: await openGeo(config.geoipDatabase),
    now,
    batchHits: 100,
    folder: mkdtempSync(join(tmpdir(), 'analytics-imports-')),
    requireFreeDisk: async () => {},
  }
}
