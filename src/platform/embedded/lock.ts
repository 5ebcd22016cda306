import { execFileSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { retry } from '../lib/retry.ts'

const ASK_MS = 50

/** Identifies a process; the start time distinguishes it from a later process with the same pid. */
export interface ProcessIdentity {
  pid: number
  /** Use it only for comparison; '' where the system does not report it. */
  startedAt: string
}

interface Holder extends ProcessIdentity {
  socketPath: string
}

/** Another process has the data folder open. */
export class DataDirHeldError extends Error {
  readonly pid: number

  constructor(dataDir: string, pid: number) {
    super(`${dataDir} is in use by process ${pid}; a data folder is never opened twice`)
    this.pid = pid
  }
}

/**
 * Locks the data folder for this process: two processes that open it would destroy it. A stale lock is
 * replaced. It is stale when its pid is dead or belongs to a later process, and its socket does not answer
 * (a process in another container is invisible, but its socket is not).
 * @param name name of the lock file, one for each resource
 * @returns a function that releases the lock
 * @throws DataDirHeldError when it is in use
 */
export async function lockDataDir(
  dataDir: string,
  socketPath: string,
  name = 'database.lock',
): Promise<() => void> {
  const lockPath = path.join(dataDir, name)
  const draft = `${lockPath}.${process.pid}`
  const holder: Holder = { ...identify(process.pid), socketPath }
  const own = JSON.stringify(holder)
  writeFileSync(draft, own, { mode: 0o600 })
  try {
    while (!linkUnlessExists(draft, lockPath)) {
      const found = readIfExists(lockPath)
      if (found === undefined) continue
      const other = parseHolder(found)
      if (other && (isAlive(other) || (await answers(other.socketPath))))
        throw new DataDirHeldError(dataDir, other.pid)
      removeStale(lockPath, found, `${draft}.stale`)
    }
  } finally {
    rmSync(draft, { force: true })
  }
  return () => {
    if (readIfExists(lockPath) === own) rmSync(lockPath, { force: true })
  }
}

/**
 * Locks the start of servers of a data folder. Waits while another process has the lock.
 * @param name name of the lock file. `servers.lock` is held as long as only one process may use the servers: an admin command must
 * not stop servers that another command, or the service, uses
 * @param options.withinMs longest wait; without it, for ever
 * @param options.onWait called once, with the pid of the process that has the lock
 * @throws DataDirHeldError when the time is over
 * @returns a function that releases the lock
 */
export async function lockStart(
  dataDir: string,
  name: 'servers.lock' | 'redis.lock',
  options: { withinMs?: number; onWait?: (pid: number) => void } = {},
): Promise<() => void> {
  const { withinMs = Number.POSITIVE_INFINITY, onWait } = options
  // No server uses this socket path, so the lock is stale exactly when its process has ended.
  return retry(() => lockDataDir(dataDir, path.join(dataDir, `${name}.none`), name), {
    withinMs,
    shouldRetry: error => error instanceof DataDirHeldError,
    delayMs: ASK_MS,
    onRetry: (error, attempt) => {
      if (attempt === 1) onWait?.((error as DataDirHeldError).pid)
    },
  })
}

/** Tells whether a server accepts connections on a unix socket. */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(socketPath)
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/** Creates the lock by a link: this is atomic with its content, so no process can read half a lock. */
function linkUnlessExists(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Removes the stale lock, but restores it when another process has replaced it meanwhile. */
function removeStale(lockPath: string, stale: string, aside: string): void {
  try {
    renameSync(lockPath, aside)
  } catch {
    return
  }
  if (readIfExists(aside) !== stale) linkUnlessExists(aside, lockPath)
  rmSync(aside, { force: true })
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder
  } catch {
    return undefined
  }
}

export const identify = (pid: number): ProcessIdentity => ({ pid, startedAt: startedAt(pid) ?? '' })

/** Tells whether the process runs. A zombie (ended, but not yet reaped by its parent) counts as dead. */
export function isAlive({ pid, startedAt: since }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = startedAt(pid)
  return now !== undefined && (since === '' || now === '' || now === since)
}

/** Start time of a process; undefined when it is dead, '' when the time is unknown. */
function startedAt(pid: number): string | undefined {
  try {
    // Split after the command in parentheses, which may contain any character: state is field 0, start time is field 19.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${fields[19]}`
  } catch {
    return process.platform === 'linux' ? '' : startedAtByPs(pid)
  }
}

function startedAtByPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim()
  } catch {
    return ''
  }
}
