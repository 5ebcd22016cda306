import { execFileSync } from 'node:child_process'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ASK_MS = 50

/** A process, told from a later one with the same pid. */
export interface ProcessIdentity {
  pid: number
  /** Only good for comparing; '' where the system does not say. */
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
 * Takes the data folder for this process, which opening it twice would destroy. A lock whose process is
 * gone is taken over: its pid is dead or belongs to a later process, and its socket does not answer (a
 * process in another container cannot be seen, but its socket can).
 * @param name of the lock file, one for each thing that can be held
 * @returns a function that gives the folder back
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
 * Takes the servers of a data folder for whoever starts them, and for as long as only that process is to use them: an
 * admin command must not stop what another, or the service, has found running. Waits while they are taken.
 * @param options.withinMs how long; for ever unless given
 * @param options.onWait called once, with the pid of who has them
 * @throws DataDirHeldError when the time is over
 */
export async function lockServers(
  dataDir: string,
  options: { withinMs?: number; onWait?: (pid: number) => void } = {},
): Promise<() => void> {
  const { withinMs = Number.POSITIVE_INFINITY, onWait } = options
  const giveUpAt = performance.now() + withinMs
  for (let attempt = 1; ; attempt++) {
    try {
      // It names a socket that never answers: only the process counts.
      return await lockDataDir(dataDir, path.join(dataDir, 'servers'), 'servers.lock')
    } catch (error) {
      if (!(error instanceof DataDirHeldError) || performance.now() > giveUpAt) throw error
      if (attempt === 1) onWait?.(error.pid)
      await sleep(ASK_MS)
    }
  }
}

/** Whether something accepts connections on a unix socket. */
export function answers(socketPath: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(socketPath)
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

/** Linking is atomic and brings the content with it, so that nobody ever reads half a lock. */
function linkUnlessExists(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Takes the stale lock away, but puts it back if it has just become somebody else's. */
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

/** A zombie, which nobody has waited for yet, counts as dead. */
export function isAlive({ pid, startedAt: since }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  const now = startedAt(pid)
  return now !== undefined && (since === '' || now === '' || now === since)
}

/** When a process started; undefined when it is dead, '' when it cannot be known. */
function startedAt(pid: number): string | undefined {
  try {
    // The fields after the parenthesised command, which may contain anything: state first, start time 20th.
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
