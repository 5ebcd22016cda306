import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { startDatabase } from './database.ts'
import { answers, lockServers } from './lock.ts'
import type { Log } from './log.ts'
import { databaseUrl, openDataDir, redisSocketPathFor, socketPathFor } from './paths.ts'
import { startRedis } from './redis.ts'
import { STATEMENT_LIMITS } from './watchdog.ts'

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

/** Whether the database is the embedded one of the data folder, be it by its URL, as under PM2. */
export const hasEmbeddedDatabase = (config: Config): boolean =>
  addressesOf(config).databaseUrl === databaseUrl(config.dataDir)

/**
 * The data folder, where database or Redis are the embedded ones that keep what they have in it; under PM2 they are named by
 * URL, too. Undefined for servers of one's own: how full their disks are cannot be asked.
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

/**
 * Runs something beside the service: on the configured servers, on the embedded ones of a service that runs, or on
 * embedded ones that are started for the moment. Of several that would have to start them, one runs after the other. A
 * signal stops them in order before it ends this process.
 */
export async function withServices<Result>(
  config: Config,
  log: Log,
  run: (addresses: Addresses) => Promise<Result>,
): Promise<Result> {
  const addresses = addressesOf(config)
  if (config.redisUrl && config.databaseUrl) return run(addresses)

  const servers = momentaryServers()
  const forgetSignals = servers.stopAtSignals()
  try {
    const dataDir = openDataDir(config.dataDir, log)
    const unlock = await lockServers(dataDir, {
      onWait: pid => log.warn({ pid }, 'waiting for another process that uses the embedded servers'),
    })
    servers.onStop(async () => unlock())
    let areOwn = false
    if (!config.redisUrl && !(await answers(redisSocketPathFor(dataDir)))) {
      areOwn = true
      await servers.keep(startRedis({ dataDir, log }), redis => redis.stop())
    }
    if (!config.databaseUrl && !(await answers(socketPathFor(dataDir)))) {
      areOwn = true
      await servers.keep(startDatabase({ dataDir, log, limits: STATEMENT_LIMITS }), database =>
        database.close(),
      )
    }
    // Those of a service are there for everybody.
    if (!areOwn) await servers.stop()
    return await run(addresses)
  } finally {
    await servers.stop()
    forgetSignals()
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What was started for the moment, and how it ends: the newest first. */
function momentaryServers() {
  const stops: (() => Promise<void>)[] = []
  let stopping: Promise<void> = Promise.resolve()

  function stop(): Promise<void> {
    stopping = stopping.then(async () => {
      for (let next = stops.pop(); next; next = stops.pop()) await next()
    })
    return stopping
  }

  return {
    stop,
    onStop(end: () => Promise<void>): void {
      stops.push(end)
    },
    /** One that is about to run is ended too. */
    async keep<Server>(starting: Promise<Server>, end: (server: Server) => Promise<void>): Promise<void> {
      stops.push(() => starting.then(end, () => {}))
      await starting
    },
    /** A second signal ends this process at once. */
    stopAtSignals(): () => void {
      const onSignal = (signal: NodeJS.Signals) => {
        forget()
        void stop().finally(() => process.kill(process.pid, signal))
      }
      const forget = () => {
        for (const signal of SIGNALS) process.off(signal, onSignal)
      }
      for (const signal of SIGNALS) process.on(signal, onSignal)
      return forget
    },
  }
}
