import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { createLease } from '../../src/redis/lease.ts'
import { REFRESHING } from '../../src/rollups/keep-refreshed.ts'
import type { Services } from '../../src/services.ts'
import type { ImportServices } from '../../src/transfer/imports/import-kind.ts'
import { silentLog } from './log.ts'

/** What an ingest process imports with, on the stores of an API. */
export async function importServices({ db, redis, config, now }: Services): Promise<ImportServices> {
  return {
    db,
    lease: createLease(redis, REFRESHING),
    log: silentLog,
    geo: await openGeo(config.geoipDatabase),
    now,
    batchHits: 100,
    folder: mkdtempSync(join(tmpdir(), 'analytics-imports-')),
    requireFreeDisk: async () => {},
  }
}
