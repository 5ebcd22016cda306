import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bareEnvironment, type Config, environmentFor, loadConfig } from '../src/platform/config/config.ts'
import { MACHINE } from '../src/platform/config/machine.ts'
import { connectDb, type Db } from '../src/platform/db/connect.ts'
import { isUnavailable, sqlState } from '../src/platform/db/database-errors.ts'
import { checkDatabase, migrate } from '../src/platform/db/migrate.ts'
import { addressesOf, folderOfServers } from '../src/platform/embedded/addresses.ts'
import { DataDirHeldError, lockDataDir, lockStart } from '../src/platform/embedded/lock.ts'
import { openDataDir, prepareDataDir, socketPathFor } from '../src/platform/embedded/paths.ts'
import { startRedis } from '../src/platform/embedded/redis.ts'
import { retry } from '../src/platform/lib/retry.ts'
import { checkRedis } from '../src/platform/redis/check.ts'
import { connectRedis, whenReady } from '../src/platform/redis/connect-redis.ts'
import { type Keeper, keepAlive } from '../src/platform/runtime/children.ts'
import { watchDisk } from '../src/platform/runtime/disk.ts'
import { createLog, type Log } from '../src/platform/runtime/log.ts'
import { startClusterWorker, startProcess } from './children.ts'
import { endOnUnhandled, reportReady } from './lifecycle.ts'
import { ALLOCATOR, nodeArgsFor } from './node-options.ts'

// Entry of the first process: starts all others, restarts those that end, and stops them in order. Knows nothing of sites and hits.

const SERVERS_WITHIN_MS = 15_000

const STOP_MS = { http: 4_000, ingest: 3_000, columns: 2_000, database: 2_000 }
/** Longest wait for the embedded database of a killed service to close, or for an admin command to finish. */
const DATABASE_FREE_MS = 10_000

/** Longest delay until all processes of a terminal's group have received its signal. */
const SIGNAL_MS = 100

/** Functions that stop what was started; the newest is called first. */
const stops: (() => Promise<void>)[] = []
let stopping: Promise<void> | undefined

try {
  const config = loadConfig()
  const log = createLog({ level: config.logLevel, role: 'primary' })
  endOnUnhandled(log)
  await run(config, log)
} catch (error) {
  // An interrupted startup fails too, but must not be reported. Ctrl-C also ends a child that is still starting, and its
  // failure may arrive before the signal, so wait for the signal.
  await sleep(SIGNAL_MS)
  if (!stopping) {
    process.stderr.write(`${(error as Error).message.replace(/^/gm, 'error: ')}\n`)
    await stopAll()
    process.exit(1)
  }
}

async function run(config: Config, log: Log): Promise<void> {
  const startedAt = performance.now()
  let workers: Keeper[] = []
  let columns: Keeper | undefined
  obeySignals(log, () => ({ workers, columns }))

  const isEmbedded = !config.redisUrl || !config.databaseUrl
  if (isEmbedded) await holdDataDir(config, log)
  await checkListener(config)
  if (config.isSmallMachine) logSmall(config, log)
  const unlockServers = isEmbedded ? await takeServers(config) : undefined
  if (!config.databaseUrl) await whenDatabaseIsFree(config)
  const servers = Promise.all([
    config.redisUrl ? undefined : keepRedis(config, log),
    config.databaseUrl ? undefined : keepDatabase(config, log),
  ])
  const addresses = addressesOf(config)
  const environment = environmentFor(config, addresses)
  let ingest: Keeper[] = []
  stops.push(async () => void (await Promise.all(ingest.map(keeper => keeper.stop(STOP_MS.ingest)))))
  stops.push(async () => columns?.stop(STOP_MS.columns))

  // The workers load their modules while the servers start and the schema is migrated.
  let setPrepared = () => {}
  const prepared = new Promise<void>(resolve => {
    setPrepared = resolve
  })
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('http.js', import.meta.url)),
    execArgv: [...process.execArgv, ...nodeArgsFor(config).hits],
  })
  workers = Array.from({ length: config.httpWorkers }, () =>
    keepAlive('http', () => startClusterWorker(environment, prepared), log),
  )
  stops.push(async () => void (await Promise.all(workers.map(keeper => keeper.stop(STOP_MS.http)))))
  await servers
  unlockServers?.()
  await prepare(addresses, log)

  // Each worker watches the disk itself. Only this process logs changes, so that each one gives a single line.
  const disk = watchDisk({ folder: folderOfServers(config), minFreeBytes: config.minFreeBytes, log })
  stops.push(async () => disk.stop())
  await disk.check()
  setPrepared()

  // Hits wait in Redis, and reads for columns: nothing else takes the CPU while the HTTP workers start.
  await Promise.all(workers.map(keeper => keeper.started))
  if (stopping) return
  columns = keepAlive('columns', () => startProcess('columns.js', environment), log)
  columns.started.catch(() => {})
  ingest = Array.from({ length: config.ingestProcesses }, () =>
    keepAlive(
      'ingest',
      () => startProcess('ingest.js', environment, { nodeArgs: nodeArgsFor(config).hits }),
      log,
    ),
  )
  await Promise.all(ingest.map(keeper => keeper.started))
  reportReady()
  log.info({ url: config.baseUrl, ms: Math.round(performance.now() - startedAt) }, 'ready')
}

function logSmall({ httpWorkers, columnBytes }: Config, log: Log): void {
  const given = { cores: MACHINE.cores, memoryMib: Math.round(MACHINE.bytes / 2 ** 20) }
  log.info(
    { ...given, httpWorkers, columnsMib: columnBytes / 2 ** 20 },
    'a small machine: few processes and small caches',
  )
}

/** Locks the data folder. Call it before any other access: a start that is refused must touch nothing of the service that runs there. */
async function holdDataDir(config: Config, log: Log): Promise<void> {
  const dataDir = openDataDir(config.dataDir, log)
  // The servers of a killed service may still answer on their sockets, so the lock names a socket that never answers.
  const unlock = await lockDataDir(dataDir, join(dataDir, 'service'), 'service.lock')
  stops.push(async () => unlock())
}

/** Locks the servers until they run: otherwise an admin command that started them temporarily would stop them. */
async function takeServers(config: Config): Promise<() => void> {
  const unlock = await lockStart(prepareDataDir(config.dataDir), 'servers.lock', {
    withinMs: DATABASE_FREE_MS,
  })
  stops.push(async () => unlock())
  return unlock
}

/**
 * Checks the listening address before the workers start: a worker could only crash.
 * @throws Error with the reason when the address is taken or does not belong to this host
 */
async function checkListener({ host, port }: Config): Promise<void> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'another program listens there already' : code
    throw new Error(`PORT is ${port}, HOST is ${host}; allowed is an address to listen at: ${reason}`)
  }
  server.close()
  await once(server, 'close')
}

async function keepRedis(config: Config, log: Log): Promise<void> {
  const start = () => startRedis({ dataDir: config.dataDir, log })
  let current = start()
  // Wait for a Redis that is still starting: it would keep running after this process.
  stops.push(async () => (await current).stop())
  const watch = async () => {
    const redis = await current
    redis.onExit(() => {
      log.error({ redisPid: redis.pid }, 'redis-server ended; it is started again')
      // Retried until the service stops: the cause, such as a full disk, may last.
      current = retry(start, {
        shouldRetry: () => !stopping,
        delayMs: 1_000,
        onRetry: error => log.error({ error }, 'redis-server cannot be started; trying again'),
      })
      watch().catch(() => {}) // the service is stopping
    })
  }
  await watch()
}

/**
 * Waits until the database of a killed service has closed.
 * @throws DataDirHeldError when another service runs it; no server has been adopted or started yet
 */
async function whenDatabaseIsFree(config: Config): Promise<void> {
  const dataDir = prepareDataDir(config.dataDir)
  const unlock = await retry(() => lockDataDir(dataDir, socketPathFor(dataDir)), {
    withinMs: DATABASE_FREE_MS,
    shouldRetry: error => error instanceof DataDirHeldError,
    delayMs: 50,
  })
  unlock()
}

async function keepDatabase(config: Config, log: Log): Promise<void> {
  const args = ['--data-dir', config.dataDir, '--log-level', config.logLevel]
  const keeper = keepAlive(
    'database',
    () =>
      startProcess(
        'embedded-database.js',
        { ...ALLOCATOR, ...bareEnvironment() },
        {
          args,
          nodeArgs: nodeArgsFor(config).database,
        },
      ),
    log,
  )
  stops.push(() => keeper.stop(STOP_MS.database))
  await keeper.started
}

/** Checks both servers, logs which hits Redis may lose, and migrates the schema. */
async function prepare(addresses: { databaseUrl: string; redisUrl: string }, log: Log): Promise<void> {
  const redis = connectRedis(addresses.redisUrl, log)
  const db = connectDb(addresses.databaseUrl, {
    max: 1,
    name: 'analytics-primary',
    pool: 'commands',
  })
  try {
    await whenReady(redis, SERVERS_WITHIN_MS).catch(() => {
      throw new Error('REDIS_URL cannot be reached: is Redis running there, and the password right?')
    })
    await whenAnswering(db, log)
    for (const warning of await checkRedis(redis)) log.warn({}, warning)
    await checkDatabase(db)
    const applied = await migrate(db)
    if (applied.length > 0) log.info({ applied }, 'schema is up to date')
  } finally {
    redis.disconnect()
    await db.end({ timeout: 2 })
  }
}

/** Waits for the database: after a boot, or under PM2, it may start at the same time as this process. */
async function whenAnswering(db: Db, log: Log): Promise<void> {
  try {
    await retry(async () => void (await db`select 1`), {
      withinMs: SERVERS_WITHIN_MS,
      shouldRetry: isUnavailable,
      delayMs: 200,
      onRetry: (error, attempt) => {
        if (attempt === 1) log.warn({ reason: (error as Error).message }, 'waiting for the database')
      },
    })
  } catch (error) {
    throw new Error(`DATABASE_URL cannot be used: ${(error as Error).message || sqlState(error)}`, {
      cause: error,
    })
  }
}

function obeySignals(log: Log, kept: () => { workers: Keeper[]; columns: Keeper | undefined }): void {
  const stop = () => {
    if (stopping) return
    stopAll().then(
      () => process.exit(0),
      error => {
        log.error({ error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  // A terminal that is closed sends SIGHUP.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  process.on('message', message => message === 'shutdown' && stop())

  let rolling = Promise.resolve()
  process.on('SIGUSR2', () => {
    rolling = rolling.then(async () => {
      log.info({}, 'rolling the HTTP workers')
      const { workers, columns } = kept()
      // First: HTTP workers of another version ask it other questions.
      await columns?.restart()
      for (const keeper of workers) {
        await keeper
          .roll()
          .catch(error => log.error({ error }, 'a worker was not replaced; the old one stays'))
      }
      log.info({}, 'rolled')
    })
  })
}

function stopAll(): Promise<void> {
  stopping ??= (async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop().catch(() => {})
  })()
  return stopping
}
