import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000
/** A child that lived this long starts again at once. */
const SETTLED_MS = 10_000

/** A successor that does not serve by then is given up. */
const READY_WITHIN_MS = 30_000

/** A running process: a cluster worker or a forked one. */
export interface Child {
  pid: number | undefined
  /** Resolves when it serves; rejects when it ends before. */
  ready: Promise<void>
  /** Resolves when it is gone. */
  gone: Promise<void>
  /** Asks it to put down its work and go. */
  stop(): void
  kill(): void
}

export interface Keeper {
  /** Resolves when the child serves for the first time; rejects when it ends before. */
  started: Promise<void>
  /** Starts a successor, waits until it serves, then lets the present one finish. */
  roll(): Promise<void>
  /** Lets the child finish, and that of a roll under way, and kills them after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** Keeps one child alive: whenever it ends it is started again, after ever longer pauses while it keeps ending soon. */
export function keepAlive(name: string, start: () => Child, log: Log): Keeper {
  let isStopping = false
  let failures = 0
  /** More than one while a roll is under way. */
  const living = new Set<Child>()
  let current = launch()

  function launch(): Child {
    const child = start()
    const startedAt = performance.now()
    living.add(child)
    child.ready.catch(() => {})
    void child.gone.then(async () => {
      living.delete(child)
      if (isStopping || child !== current) return
      failures = performance.now() - startedAt > SETTLED_MS ? 0 : failures + 1
      const delay = failures === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
      log.error(
        { child: name, childPid: child.pid, againInMs: delay },
        'a process ended; it is started again',
      )
      await sleep(delay)
      if (!isStopping && child === current) current = launch()
    })
    return child
  }

  return {
    started: current.ready,
    async roll() {
      if (isStopping) return
      const successor = launch()
      const overdue = setTimeout(() => successor.kill(), READY_WITHIN_MS)
      await successor.ready.finally(() => clearTimeout(overdue))
      const before = current
      current = successor
      before.stop()
      await before.gone
    },
    async stop(timeoutMs) {
      isStopping = true
      const children = [...living]
      for (const child of children) child.stop()
      const timer = setTimeout(() => {
        for (const child of living) child.kill()
      }, timeoutMs)
      await Promise.all(children.map(child => child.gone))
      clearTimeout(timer)
    },
  }
}
