import type { Config } from '../config/config.ts'
import { type Addresses, addressesOf } from './addresses.ts'
import { startDatabase } from './database.ts'
import { answers, lockStart } from './lock.ts'
import { openDataDir, redisSocketPathFor, socketPathFor } from './paths.ts'
import { startRedis } from './redis.ts'
import type { Log } from './server-log.ts'
import { STATEMENT_LIMITS } from './watchdog.ts'

/**
 * Runs a function outside the service: on the configured servers, on the embedded servers of a running service, or on
 * temporary embedded servers that this call starts. A lock serialises callers that have to start servers. A signal stops
 * the temporary servers in order before it ends this process.
 * @param run its second parameter registers what a signal stops before the servers
 * @param options.sharesServers lets other callers use the servers that this call starts. Otherwise they wait until it has ended.
 */
export async function withServices<Result>(
  config: Config,
  log: Log,
  run: (addresses: Addresses, onStop: (stop: () => Promise<void>) => void) => Promise<Result>,
  { sharesServers = false } = {},
): Promise<Result> {
  const servers = momentaryServers()
  const forgetSignals = servers.stopAtSignals()
  try {
    if (!config.redisUrl || !config.databaseUrl) await startMissing(config, log, servers, sharesServers)
    return await run(addressesOf(config), servers.onStop)
  } finally {
    await servers.stop()
    forgetSignals()
  }
}

async function startMissing(
  config: Config,
  log: Log,
  servers: ReturnType<typeof momentaryServers>,
  sharesServers: boolean,
): Promise<void> {
  const dataDir = openDataDir(config.dataDir, log)
  const unlock = await lockStart(dataDir, 'servers.lock', {
    onWait: pid => log.warn({ holder: pid }, 'waiting for another process that uses the embedded servers'),
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
  // The servers belong to a running service, so other processes may use them too: release the lock.
  if (!areOwn) await servers.stop()
  else if (sharesServers) unlock()
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Temporary servers and locks, released in reverse order of their start. */
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
    /** Registers the server before it is ready, so that a stop during its start ends it too. */
    async keep<Server>(starting: Promise<Server>, end: (server: Server) => Promise<void>): Promise<void> {
      stops.push(() => starting.then(end, () => {}))
      await starting
    },
    /** Stops everything at the first signal. The second signal ends this process at once. */
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
