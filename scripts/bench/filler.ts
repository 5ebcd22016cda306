import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { type AnySite, findSiteAnywhere } from '../../src/access/sites/find-site.ts'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { importHits } from '../../src/ingestion/import/import-hits.ts'
import { loadConfig } from '../../src/platform/config/config.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { query } from '../../src/platform/db/query.ts'
import { DAY_MS } from '../../src/platform/lib/time.ts'
import { createLease } from '../../src/platform/redis/lease.ts'
import { createLog } from '../../src/platform/runtime/log.ts'
import {
  compressChunk,
  compressSettledChunks,
  selectChunksToCompress,
} from '../../src/storage/rollups/columnstore.ts'
import { keepRefreshed, REFRESHING, type Written } from '../../src/storage/rollups/keep-refreshed.ts'
import { secondsSince, showProgress } from '../progress.ts'
import { type BenchService, limitsFar, startService, type Target } from './service.ts'
import { type Visits, visitsOf } from './visits.ts'

/** Service on an empty database, whose sites are filled in this process, as `hits:import` does. */
export interface Filler {
  service: BenchService
  /**
   * Creates a site named like the visits' `hostname`, and imports generated visits through the pipeline.
   * @param onWritten called with the progress of the writes
   * @throws Error when a hit was not accepted
   */
  fill(visits: Visits, onWritten?: (written: Written) => void): Promise<AnySite>
  /** Rolls up the imported hits while `run` continues, as far as its `onWritten` reports. At the end all hits are rolled up. */
  whileRollingUp<Result>(run: (onWritten: (written: Written) => void) => Promise<Result>): Promise<Result>
}

/** Starts a service on an empty database. @throws Error when it has benchmark sites already */
export async function startFiller(target: Target): Promise<Filler> {
  // Without ingest processes, no other process rolls up during the import.
  const settings = { ...limitsFar, SITES_PER_TEAM: '1000', INGEST_PROCESSES: '0', HTTP_WORKERS: '1' }
  const service = await startService(target, settings)
  const { db, api } = service
  const sites = await api<unknown[]>('GET', '/api/sites')
  if (sites.length > 0) throw new Error('there are benchmark sites already: take an empty database')
  const config = loadConfig({
    DATABASE_URL: service.databaseUrl,
    REDIS_URL: service.redisUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
  })
  const log = createLog({ level: 'warn', role: 'bench', stderr: true })
  const lease = createLease(service.redis, REFRESHING)
  const geo = await openGeo(config.geoipDatabase)
  const now = () => new Date()
  // The batch sizes of `hits:import`.
  const batchHits = service.isEmbedded ? 1_000 : 2_000

  return {
    service,
    async fill(visits, onWritten) {
      const startedAt = performance.now()
      const { hostname: domain, hits } = visits
      const { id } = await api<{ id: string }>('POST', '/api/sites', { domain, timezone: 'UTC' })
      const site = await findSiteAnywhere(db, id)
      const progress = showProgress('filling')
      const onProgress = ({ accepted }: { accepted: number }) =>
        progress.part(accepted / hits, `${Math.round(accepted / secondsSince(startedAt))} hits/s`)
      const options = { db, geo, log, now, batchHits, onProgress, ...(onWritten && { onWritten }) }
      const done = await importHits(site, Readable.from(visitsOf(visits)), options).finally(progress.end)
      if (done.accepted !== hits) {
        const reason = done.rejected[0]?.error ?? 'they were dropped'
        throw new Error(`${done.accepted} of ${hits} hits were taken; the others were not: ${reason}`)
      }
      return site
    },
    whileRollingUp: run => keepRefreshed({ db, lease, log, now }, run),
  }
}

/**
 * Storage states of the rows, which change query plans. `fresh`: uncompressed rows without statistics. `half`: half of the
 * chunks in the columnstore, the others without statistics. `compressed`: all settled chunks in the columnstore, vacuumed,
 * with statistics.
 */
export const STATES = ['fresh', 'half', 'compressed'] as const
export type State = (typeof STATES)[number]

/** Does at once what autovacuum would do later. Must run outside a transaction. */
const vacuumEverything = query('vacuum-everything', 'vacuum (analyze)')

/**
 * Brings all stored rows into a state; the service reaches `compressed` by itself over time. It never decompresses: chunks in the
 * columnstore stay there.
 */
export async function settle(db: Db, state: State, now: Date): Promise<void> {
  if (state === 'fresh') return
  if (state === 'half') {
    const chunks = await selectChunksToCompress(db, { endedBefore: new Date(now.getTime() - 2 * DAY_MS) })
    for (const { chunk } of chunks.filter((_, index) => index % 4 < 2)) await compressChunk(db, { chunk })
    return
  }
  await compressSettledChunks(db, now)
  await vacuumEverything(db)
}
