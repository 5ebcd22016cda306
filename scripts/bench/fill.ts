import { randomBytes } from 'node:crypto'
import { loadConfig } from '../../src/config.ts'
import { openGeo } from '../../src/ingestion/edge/geo.ts'
import { importHits } from '../../src/ingestion/import/import-hits.ts'
import { connectRedis, whenReady } from '../../src/redis/connect.ts'
import { createLease } from '../../src/redis/lease.ts'
import { keepRefreshed, REFRESHING, type Written } from '../../src/rollups/keep-refreshed.ts'
import { createLog } from '../../src/runtime/log.ts'
import { type AnySite, findSiteAnywhere } from '../../src/sites/find-site.ts'
import { secondsSince, showProgress } from '../progress.ts'
import type { BenchService } from './service.ts'
import { type State, settle } from './states.ts'
import { type Visits, visitsOf } from './visits.ts'

export interface Filler {
  /**
   * Imports generated visits through the pipeline into a site.
   * @param onWritten called with the progress of the writes
   * @throws Error when a hit was not accepted
   */
  fill(siteId: string, visits: Visits, onWritten?: (written: Written) => void): Promise<AnySite>
  /** Rolls up the imported hits while `run` continues, as far as its `onWritten` reports. At the end all hits are rolled up. */
  whileRollingUp<Result>(run: (onWritten: (written: Written) => void) => Promise<Result>): Promise<Result>
  /** Brings all stored rows into a state; the service reaches `compressed` by itself over time. */
  settle(state: State): Promise<void>
}

/** Creates a filler that imports hits into sites of a service in this process, as `hits:import` does. */
export async function createFiller(
  service: Pick<BenchService, 'db' | 'databaseUrl' | 'redisUrl' | 'isEmbedded'>,
  onEnd: (stop: () => unknown) => void,
): Promise<Filler> {
  const { db } = service
  const config = loadConfig({
    DATABASE_URL: service.databaseUrl,
    REDIS_URL: service.redisUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
  })
  const log = createLog({ level: 'warn', role: 'bench', stderr: true })
  const redis = connectRedis(service.redisUrl, log)
  onEnd(() => redis.disconnect())
  await whenReady(redis, 5_000)
  const lease = createLease(redis, REFRESHING)
  const geo = await openGeo(config.geoipDatabase)
  const now = () => new Date()
  // The batch sizes of `hits:import`.
  const batchHits = service.isEmbedded ? 1_000 : 2_000

  return {
    async fill(siteId, visits, onWritten) {
      const startedAt = performance.now()
      const site = await findSiteAnywhere(db, siteId)
      const progress = showProgress('filling')
      const onProgress = ({ accepted }: { accepted: number }) =>
        progress.part(accepted / visits.hits, `${Math.round(accepted / secondsSince(startedAt))} hits/s`)
      const options = { db, geo, log, now, batchHits, onProgress, ...(onWritten && { onWritten }) }
      const done = await importHits(site, chunksOf(visits), options).finally(progress.end)
      if (done.accepted !== visits.hits) {
        const reason = done.rejected[0]?.error ?? 'they were dropped'
        throw new Error(`${done.accepted} of ${visits.hits} hits were taken; the others were not: ${reason}`)
      }
      return site
    },
    whileRollingUp: run => keepRefreshed({ db, lease, log, now }, run),
    settle: state => settle(db, state, now()),
  }
}

async function* chunksOf(visits: Visits): AsyncGenerator<Buffer> {
  yield* visitsOf(visits)
}
