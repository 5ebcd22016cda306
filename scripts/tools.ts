import { existsSync } from 'node:fs'
import { CommanderError } from 'commander'
import { type Config, loadConfig } from '../src/platform/config/config.ts'
import { connectDb, type Db } from '../src/platform/db/connect.ts'
import { checkDatabase, migrate } from '../src/platform/db/migrate.ts'
import { withServices } from '../src/platform/embedded/attach.ts'
import { databaseFolderIn } from '../src/platform/embedded/paths.ts'
import type { RedisClient } from '../src/platform/redis/client.ts'
import { connectRedis, whenReady } from '../src/platform/redis/connect-redis.ts'
import { createLease, type Lease } from '../src/platform/redis/lease.ts'
import { createLog, type Log } from '../src/platform/runtime/log.ts'
import { REFRESHING } from '../src/storage/rollups/keep-refreshed.ts'

/** Where a command takes its settings from and writes to. */
export interface Surroundings {
  env: NodeJS.ProcessEnv
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

/** What a command works with. */
export interface Tools {
  db: Db
  /** Connects at the first call. */
  redis: () => Promise<RedisClient>
  config: Config
  log: Log
}

/**
 * Runs a command on the servers of the service, whether it runs or not.
 * @param name of the command, for logs and the list of the database's connections
 * @param say told of each step of making the embedded database, if there is none yet: together they take several seconds
 */
export async function withTools<Result>(
  env: NodeJS.ProcessEnv,
  name: string,
  run: (tools: Tools) => Promise<Result>,
  say: (step: string) => void = () => {},
): Promise<Result> {
  const config = loadConfig(env)
  const isNew = !config.databaseUrl && !existsSync(databaseFolderIn(config.dataDir))
  const log = createLog({ level: config.logLevel, role: name, stderr: true })
  if (isNew) say('making the embedded database')
  return withServices(config, log, async ({ databaseUrl, redisUrl }) => {
    // The embedded database has one session. Few connections, so that live traffic does not queue behind this command.
    const db = connectDb(databaseUrl, {
      max: config.databaseUrl ? 6 : 2,
      name: `analytics ${name}`,
      pool: 'commands',
    })
    let redis: RedisClient | undefined
    const connect = async () => {
      redis ??= connectRedis(redisUrl, log)
      await whenReady(redis, 5_000)
      return redis
    }
    try {
      await checkDatabase(db)
      if (isNew) say('making its tables')
      await migrate(db)
      return await run({ db, redis: connect, config, log })
    } finally {
      redis?.disconnect()
      await db.end({ timeout: 5 })
    }
  })
}

/** The lease for refreshing rollups: while a command holds it, neither the service nor another command refreshes. */
export async function refreshingLease({ redis }: Tools): Promise<Lease> {
  return createLease(await redis(), REFRESHING)
}

/** Returns why a command failed, on one line. */
export function oneLine(error: unknown): string {
  if (error instanceof CommanderError && error.code === 'commander.help')
    return 'no command given; try --help'
  const { message, code } = error as { message?: string; code?: string }
  return (message || code || 'unknown').replace(/^error: /, '').replace(/\s*\n\s*/g, '; ')
}
