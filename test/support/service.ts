import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bootstrap } from '../../src/access/teams/accounts.ts'
import type { Db } from '../../src/platform/db/connect.ts'
import { testDatabase } from './database.ts'
import { endWithWorker, noLongerWithWorker } from './end-with-worker.ts'
import { newFolder } from './folders.ts'
import { createMember } from './member.ts'
import { privateRedis } from './redis.ts'

export const PRIMARY = fileURLToPath(new URL('../../dist/workers/primary.js', import.meta.url))
const READY_WITHIN_MS = 90_000

export interface TestService {
  url: string
  /** Of the team "Default", role owner. */
  token: string
  teamId: string
  db: Db
  databaseUrl: string
  redisUrl: string
  pid: number
  /** Everything the service wrote so far: JSON lines. */
  output(): string
  /** Ends it as PM2 would. @returns its exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Stops it and takes everything away. */
  close(): Promise<void>
}

let shared: Promise<TestService> | undefined

/**
 * The service that test files of the same worker share, with a team of their own: starting one costs 6 s of CPU.
 * `close` does nothing: the service ends with the worker.
 */
export async function sharedService(): Promise<TestService> {
  shared ??= startService()
  const service = await shared
  const { token, teamId } = await createMember({ db: service.db, now: () => new Date() })
  return { ...service, token, teamId, close: async () => {} }
}

/** The whole built service, all its processes, on a private database and a private Redis. */
export async function startService(settings: NodeJS.ProcessEnv = {}): Promise<TestService> {
  const [database, redis, port] = await Promise.all([testDatabase(), privateRedis(), freePort()])
  const { folder: dataDir, remove } = newFolder('service')
  const { token, team_id: teamId } = await bootstrap(database.db, { baseUrl: 'http://a.example' }, new Date())
  let output = ''
  const child = spawn(process.execPath, [PRIMARY], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SECRET_KEY: randomBytes(32).toString('hex'),
      HTTP_WORKERS: '2',
      ...limitsOff,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const collect = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const pids = [child.pid!, redis.pid]
  endWithWorker(pids)
  const gone = once(child, 'exit') as Promise<[number | null]>

  const url = `http://127.0.0.1:${port}`
  const giveUpAt = performance.now() + READY_WITHIN_MS
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error(`not ready:\n${output}`)
    await sleep(20)
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await gone
    return code
  }
  return {
    url,
    token: token!,
    teamId,
    db: database.db,
    databaseUrl: database.url,
    redisUrl: redis.url,
    pid: child.pid!,
    output: () => output,
    stop,
    async close() {
      for (const pid of pids) noLongerWithWorker(pid)
      if (child.exitCode === null && child.signalCode === null) await stop()
      await redis.close()
      await database.close()
      remove()
    },
  }
}

const limitsOff = Object.fromEntries(
  ['COLLECT', 'EVENT', 'ENGAGE', 'IDENTIFY', 'API', 'WEBHOOK'].map(name => [`RATE_LIMIT_${name}`, '0']),
)

/** Whether the service there, its database and its Redis answer. */
export async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) })).ok
  } catch {
    return false
  }
}

/** Below those that systems give to whoever connects somewhere: a port of theirs may be gone before the service listens. */
const PORTS = { from: 10_000, to: 32_000 }
let lastPort = PORTS.from + ((process.pid * 97) % (PORTS.to - PORTS.from))

/** A port for a service that is started by a test. No other process of tests gets it as long as this one runs. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lastPort + 1 < PORTS.to ? lastPort + 1 : PORTS.from
    lastPort = port
    if ((await reserve(port)) && (await isFree(port))) return port
  }
}

/** Nothing here listens for UDP: the port of the same number is the sign that a process has taken it. */
function reserve(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const sign = createSocket('udp4').unref()
    sign.once('error', () => {
      sign.close()
      resolve(false)
    })
    sign.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/** Waits until `check` gives something other than undefined or false. @throws Error after `withinMs` */
export async function eventually<Result>(
  check: () => Promise<Result | undefined | false>,
  withinMs = 60_000,
): Promise<Result> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const result = await check()
    if (result !== undefined && result !== false) return result
    if (performance.now() > giveUpAt) throw new Error(`it did not happen within ${withinMs} ms`)
    await sleep(20)
  }
}
