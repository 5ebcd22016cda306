import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { projectRoot } from '../../src/config.ts'
import { connectDb, type Db } from '../../src/db/connect.ts'
import { databaseUrl, redisSocketPathFor } from '../../src/embedded/paths.ts'
import { answersAt, freePort, type StartedProcess, startProgram } from './child.ts'

const PRIMARY = join(projectRoot, 'dist/workers/primary.js')

/** Location of the data: the URL of a TimescaleDB or the folder of an embedded database, and an optional external Redis. */
export interface Target {
  /** `postgres://…`, or a folder; undefined for a temporary folder. */
  data: string | undefined
  redis?: string | undefined
}

export interface BenchService extends StartedProcess {
  url: string
  db: Db
  databaseUrl: string
  redisUrl: string
  /** Whether the database is the embedded one. */
  isEmbedded: boolean
  hasOwnRedis: boolean
}

const isUrl = (data: string | undefined): data is string => /^postgres(ql)?:/.test(data ?? '')

/** Tells whether a target is the embedded database, which gets smaller default sizes. */
export const isEmbedded = ({ data }: Target): boolean => !isUrl(data)

/**
 * Starts all processes of the built service on a free port.
 * @param onEnd registers the cleanup; it removes temporary folders, but not a folder or database of the target
 */
export async function startService(
  target: Target,
  settings: Record<string, string>,
  onEnd: (stop: () => unknown) => void,
): Promise<BenchService> {
  const given = target.data
  const isOwnFolder = given === undefined || isUrl(given)
  const dataDir = isOwnFolder ? mkdtempSync(join(tmpdir(), 'analytics-bench-')) : resolve(given)
  if (isOwnFolder) onEnd(() => rmSync(dataDir, { recursive: true, force: true }))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const started = await startProgram({
    script: PRIMARY,
    settings: {
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      ...(isUrl(given) && { DATABASE_URL: given }),
      ...(target.redis && { REDIS_URL: target.redis }),
      // Without external servers, the data folder contains the secret key too.
      ...((isUrl(given) || target.redis) && { SECRET_KEY: randomBytes(32).toString('hex') }),
      ...settings,
    },
    isReady: () => answersAt(`${url}/readyz`),
  })
  onEnd(started.stop)
  const address = isUrl(given) ? given : databaseUrl(dataDir)
  const db = connectDb(address, { max: isUrl(given) ? 6 : 2, name: 'analytics bench' })
  onEnd(() => db.end({ timeout: 2 }))
  return {
    ...started,
    url,
    db,
    databaseUrl: address,
    redisUrl: target.redis ?? `unix://${redisSocketPathFor(dataDir)}`,
    isEmbedded: !isUrl(given),
    hasOwnRedis: !target.redis,
  }
}

const LIMITS = ['COLLECT', 'EVENT', 'ENGAGE', 'IDENTIFY', 'API', 'WEBHOOK']

/** Settings that disable rate limits, for measurements with one caller. */
export const limitsOff = Object.fromEntries(LIMITS.map(name => [`RATE_LIMIT_${name}`, '0']))
