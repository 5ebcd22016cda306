import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { databaseUrl, redisSocketPathFor } from './paths.ts'

export interface Addresses {
  databaseUrl: string
  redisUrl: string
}

/** Returns the URLs of the database and Redis: the configured ones, else the embedded ones of the data folder. */
export function addressesOf(config: Config): Addresses {
  return {
    databaseUrl: config.databaseUrl ?? databaseUrl(config.dataDir),
    redisUrl: config.redisUrl ?? `unix://${redisSocketPathFor(config.dataDir)}`,
  }
}

/** Tells whether the database is the embedded one of the data folder. Under PM2 its URL is configured. */
export const hasEmbeddedDatabase = (config: Config): boolean =>
  addressesOf(config).databaseUrl === databaseUrl(config.dataDir)

/**
 * Returns the data folder when the database or Redis is an embedded one, which stores its data there. Under PM2 the embedded
 * ones are configured by URL.
 * @returns undefined when both servers are external: the service cannot see how full their disks are
 */
export function folderOfServers({ dataDir, ...given }: Config): string | undefined {
  const isEmbedded =
    !given.databaseUrl ||
    !given.redisUrl ||
    (existsSync(dataDir) &&
      (given.databaseUrl === databaseUrl(dataDir) ||
        given.redisUrl === `unix://${redisSocketPathFor(dataDir)}`))
  return isEmbedded ? dataDir : undefined
}
