import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { poll } from '../lib/retry.ts'
import { identify, isAlive, lockDataDir, lockStart, type ProcessIdentity } from './lock.ts'
import { openDataDir, redisSocketPathFor } from './paths.ts'
import type { Log } from './server-log.ts'

/** Longest time from the start of a server until it listens; loading its data may take longer. */
const LISTEN_TIMEOUT_MS = 15_000
/** Longest time for a stopping server to write its last data; after that it is killed. */
const STOP_TIMEOUT_MS = 20_000
const POLL_MS = 20

export interface Redis {
  socketPath: string
  pid: number
  /** Stops the server and waits until it has ended; all acknowledged writes are on disk. */
  stop(): Promise<void>
  /** Called once if the server ends without `stop`. */
  onExit(callback: () => void): void
}

/**
 * Makes sure that the private Redis of a data folder runs: adopts the server that a killed parent has left,
 * else starts one. The server has its own process group, so Ctrl-C in a terminal does not stop it before its
 * clients have finished, and it survives this process unless stopped.
 * @throws DataDirHeldError when another process keeps the server of this folder; nothing is changed then
 * @throws Error when `redis-server` is missing, too old, or ends at once
 */
export async function startRedis({ dataDir, log }: { dataDir: string; log: Log }): Promise<Redis> {
  const folder = openDataDir(dataDir, log)
  const socketPath = redisSocketPathFor(folder)
  // Two servers on one append-only file would destroy it.
  const unlock = await lockStart(folder, 'redis.lock')
  let release: (() => void) | undefined
  try {
    // Who keeps a server also stops it. No server uses this socket path, so the lock is stale exactly when its process has ended.
    release = await lockDataDir(folder, path.join(folder, 'redis-keeper.none'), 'redis-keeper.lock')
    if (await isRunning(folder, socketPath)) {
      log.info({ socketPath }, 'adopted the running private redis-server')
    } else {
      await checkVersion()
      rmSync(socketPath, { force: true })
      await launch(folder, socketPath)
      log.info({ socketPath }, 'private redis-server is ready')
    }
    return supervise(socketPath, identify(await readRedisPid(socketPath)), release, log)
  } catch (error) {
    release?.()
    throw error
  } finally {
    unlock()
  }
}

/** Tells whether a server serves the socket. Waits for a server that still loads or does not listen yet. */
async function isRunning(folder: string, socketPath: string): Promise<boolean> {
  const listenBy = performance.now() + LISTEN_TIMEOUT_MS
  return poll(POLL_MS, async () => {
    const answer = await askRedis(socketPath, 'PING')
    if (answer?.startsWith('+PONG')) return true
    const known = readPidFile(folder)
    if (answer === undefined && !isAlive(known)) return false
    if (answer === undefined && performance.now() > listenBy)
      throw new Error(
        `redis-server ${known.pid} of this data folder runs, but does not answer at ${socketPath}`,
      )
    return undefined
  })
}

async function launch(folder: string, socketPath: string): Promise<void> {
  const redisFolder = path.join(folder, 'redis')
  const logPath = path.join(redisFolder, 'redis.log')
  mkdirSync(redisFolder, { recursive: true, mode: 0o700 })
  const configPath = path.join(redisFolder, 'redis.conf')
  writeFileSync(configPath, configuration(redisFolder, socketPath, logPath), { mode: 0o600 })
  rmSync(logPath, { force: true })

  const child = spawn('redis-server', [configPath], { detached: true, stdio: 'ignore' })
  let failure: string | undefined
  child.on('error', error => {
    failure = error.message
  })
  child.on('exit', code => {
    failure = `it ended with ${code}`
  })
  child.unref()
  if (child.pid !== undefined)
    writeFileSync(pidFile(folder), JSON.stringify(identify(child.pid)), { mode: 0o600 })

  const listenBy = performance.now() + LISTEN_TIMEOUT_MS
  await poll(POLL_MS, async () => {
    const answer = await askRedis(socketPath, 'PING')
    if (answer?.startsWith('+PONG')) return true
    if (answer === undefined && performance.now() > listenBy) failure ??= 'it does not listen'
    if (failure === undefined) return undefined
    child.kill('SIGKILL')
    throw new Error(`redis-server did not start: ${failure}\n${tail(logPath)}`)
  })
}

/** The content of redis.conf. Paths are in double quotes, because they may contain spaces. */
function configuration(folder: string, socketPath: string, logPath: string): string {
  const quote = (text: string) => `"${text.replace(/[\\"]/g, character => `\\${character}`)}"`
  return [
    'port 0',
    `unixsocket ${quote(socketPath)}`,
    'unixsocketperm 700',
    `dir ${quote(folder)}`,
    `logfile ${quote(logPath)}`,
    'loglevel notice',
    'daemonize no',
    // A hit that was answered with 202 is on disk; with `everysec` a killed server loses up to one second of hits.
    'appendonly yes',
    'appendfsync always',
    'save ""',
    'maxmemory-policy noeviction',
    '',
  ].join('\n')
}

function supervise(socketPath: string, server: ProcessIdentity, release: () => void, log: Log): Redis {
  const callbacks: (() => void)[] = []
  let isStopping = false
  // An idle connection closes when the server ends. This also works for an adopted server, which is not a child process.
  const watch = () => {
    const connection = net.connect(socketPath)
    connection.unref()
    connection.on('error', () => {})
    connection.on('close', async () => {
      if (isStopping) return
      if (isAlive(server) && (await askRedis(socketPath, 'PING')) !== undefined) return watch()
      release()
      for (const callback of callbacks) callback()
    })
  }
  watch()
  return {
    socketPath,
    pid: server.pid,
    onExit(callback) {
      callbacks.push(callback)
    },
    async stop() {
      isStopping = true
      if (isAlive(server)) process.kill(server.pid, 'SIGTERM')
      const killAt = performance.now() + STOP_TIMEOUT_MS
      await poll(POLL_MS, () => {
        if (!isAlive(server)) return true
        if (performance.now() > killAt) process.kill(server.pid, 'SIGKILL')
        return undefined
      })
      release()
      log.info({ socketPath }, 'private redis-server is stopped')
    },
  }
}

/** @throws Error with instructions when there is no usable `redis-server` */
async function checkVersion(): Promise<void> {
  const howTo =
    'install it (apt install redis-server, dnf install redis, brew install redis) or set REDIS_URL'
  const output = await promisify(execFile)('redis-server', ['--version']).catch((error: Error) => {
    throw new Error(`redis-server cannot be run: ${howTo}`, { cause: error })
  })
  const [, major, minor] = /v=(\d+)\.(\d+)/.exec(output.stdout) ?? []
  if (Number(major) < 6 || (major === '6' && Number(minor) < 2))
    throw new Error(`redis-server ${major}.${minor} is too old, 6.2 is needed: ${howTo}`)
}

const pidFile = (folder: string): string => path.join(folder, 'redis.pid')

function readPidFile(folder: string): ProcessIdentity {
  try {
    return JSON.parse(readFileSync(pidFile(folder), 'utf8')) as ProcessIdentity
  } catch {
    return { pid: 2 ** 30, startedAt: '' } // no system has such a pid
  }
}

function tail(logPath: string): string {
  try {
    return readFileSync(logPath, 'utf8').slice(-1000)
  } catch {
    return ''
  }
}

/**
 * Sends one command to a Redis server on a new connection; used before a Redis client exists.
 * @returns the raw answer, possibly an error such as `-LOADING`, or undefined when no server answers
 */
function askRedis(socketPath: string, command: 'PING' | 'INFO server'): Promise<string | undefined> {
  return new Promise(resolve => {
    let answer = ''
    const socket = net.connect(socketPath)
    socket.setTimeout(5_000, () => socket.destroy())
    socket.on('connect', () => socket.write(`${command}\r\nQUIT\r\n`))
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(answer === '' ? undefined : answer))
  })
}

/**
 * Reads the process id of the Redis server at a socket.
 * @throws Error when the server does not answer
 */
async function readRedisPid(socketPath: string): Promise<number> {
  const answerBy = performance.now() + LISTEN_TIMEOUT_MS
  return poll(POLL_MS, async () => {
    const [, pid] = /process_id:(\d+)/.exec((await askRedis(socketPath, 'INFO server')) ?? '') ?? []
    if (pid !== undefined) return Number(pid)
    if (performance.now() > answerBy) throw new Error(`the redis-server at ${socketPath} does not answer`)
    return undefined
  })
}
