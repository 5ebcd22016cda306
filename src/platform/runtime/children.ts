import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5_000
/** A child that ran longer than this is restarted at once. */
const SETTLED_MS = 10_000

const READY_WITHIN_MS = 30_000

/** A cluster worker or a forked process. */
export interface Child {
  pid: number | undefined
  /** Resolves when the process is ready; rejects when it ends before. */
  ready: Promise<void>
  /** Resolves when the process has ended. */
  gone: Promise<void>
  /** Asks the process to finish its work and exit. */
  stop(): void
  kill(): void
}

/** Keeps one child alive: restarts it when it ends, after growing pauses while it keeps ending soon after its start. */
export function keepAlive(name: string, start: () => Child, log: Log) {
  let isStopping = false
  let isRestarting = false
  let failures = 0
  /** Contains more than one child during a roll. */
  const living = new Set<Child>()
  let current = launch()

  function launch(): Child {
    const child = start()
    const startedAt = performance.now()
    living.add(child)
    child.ready.catch(() => {})
    void child.gone.then(async () => {
      living.delete(child)
      if (isStopping || isRestarting || child !== current) return
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
    /** Resolves when the first child is ready; rejects when it ends before. */
    started: current.ready,
    /** Starts a successor, waits until it is ready, then stops the current child. */
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
    /** Stops the current child and starts its successor, which cannot run beside it. */
    async restart() {
      if (isStopping || isRestarting) return
      isRestarting = true
      const before = current
      before.stop()
      await before.gone
      isRestarting = false
      if (isStopping || before !== current) return
      current = launch()
      await current.ready.catch(() => {})
    },
    /** Stops the child, and any child of a roll in progress, and kills them after `timeoutMs`. */
    async stop(timeoutMs: number) {
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

export type Keeper = ReturnType<typeof keepAlive>
