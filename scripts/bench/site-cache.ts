import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { findSitesByKeys } from '../../src/access/sites/find-site.ts'
import { createSiteKeys } from '../../src/ingestion/edge/site-keys.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { connectPatientRedis } from '../../src/platform/redis/connect-redis.ts'
import { createLog } from '../../src/platform/runtime/log.ts'
import { secondsSince } from '../progress.ts'
import type { BenchService } from './service.ts'
import { median } from './table.ts'

const ROUNDS = 5

/** Returns how many bytes of the heap a site takes in the cache of an HTTP worker. */
export async function bytesOfCachedSite({ db, redisUrl }: BenchService): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const subscriber = connectPatientRedis(redisUrl, createLog({ level: 'warn', role: 'bench', stderr: true }))
  const before = heap()
  const siteKeys = createSiteKeys(db, subscriber)
  const count = await siteKeys.preload()
  const bytes = (heap() - before) / count
  subscriber.disconnect()
  return bytes
}

/** Returns how long one statement takes that looks up these sites again. */
export async function secondsToRefresh(db: Db, sites: { key: string }[]): Promise<number> {
  const keys = sites.map(({ key }) => key)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    await findSitesByKeys(db, keys)
    times.push(secondsSince(startedAt))
  }
  return median(times)
}
