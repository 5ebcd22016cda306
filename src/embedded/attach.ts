import type { Config } from '../config.ts'
import { startDatabase } from './database.ts'
import { answers } from './lock.ts'
import type { Log } from './log.ts'
import { databaseUrl, redisSocketPathFor, socketPathFor } from './paths.ts'
import { startRedis } from './redis.ts'

export interface Addresses {
  databaseUrl: string
  redisUrl: string
}

/** Where database and Redis are: as configured, or the embedded ones of the data folder. */
export function addressesOf(config: Config): Addresses {
  return {
    databaseUrl: config.databaseUrl ?? databaseUrl(config.dataDir),
    redisUrl: config.redisUrl ?? `unix://${redisSocketPathFor(config.dataDir)}`,
  }
}

/**
 * Runs something beside the service: on the configured servers, on the embedded ones of a service that runs, or on
 * embedded ones that are started for the moment.
 */
export async function withServices<Result>(
  config: Config,
  log: Log,
  run: (addresses: Addresses) => Promise<Result>,
): Promise<Result> {
  const stops: (() => Promise<void>)[] = []
  try {
    if (!config.redisUrl && !(await answers(redisSocketPathFor(config.dataDir)))) {
      const redis = await startRedis({ dataDir: config.dataDir, log })
      stops.push(() => redis.stop())
    }
    if (!config.databaseUrl && !(await answers(socketPathFor(config.dataDir)))) {
      const database = await startDatabase({ dataDir: config.dataDir, log })
      stops.push(() => database.close())
    }
    return await run(addressesOf(config))
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}
