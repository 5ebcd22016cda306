import { getPriority, setPriority } from 'node:os'
import type { Log } from '../src/platform/runtime/log.ts'
import { freeStartMemory } from '../src/platform/runtime/start-memory.ts'

/** Nice value of background work and of work that may take long: it gets about a fifteenth of the CPU share of others. */
export const NICENESS = 12

const STOP_TIMEOUT_MS = 8_000

/**
 * Runs `stop` once and exits with 0: on SIGTERM, on the `shutdown` message of the parent, and when the parent is gone.
 * Further signals are ignored. A terminal sends SIGINT and SIGHUP to every process: a child with a parent ignores both,
 * because the parent decides the order.
 */
export function onStop(log: Log, stop: () => Promise<void>): void {
  let isStopping = false
  const begin = (reason: string) => {
    if (isStopping) return
    isStopping = true
    log.debug({ reason }, 'stopping')
    const timer = setTimeout(() => {
      log.error({}, 'could not finish in time')
      process.exit(1)
    }, STOP_TIMEOUT_MS)
    timer.unref()
    stop().then(
      () => process.exit(0),
      error => {
        log.error({ error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => begin('SIGTERM'))
  for (const signal of ['SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!process.channel) begin(signal)
    })
  }
  process.on('message', message => {
    if (message === 'shutdown') begin('told to')
  })
  if (process.channel) process.on('disconnect', () => begin('the parent is gone'))
}

/** Ends the process at an error that nothing handles, with one line of the log instead of a raw stack. */
export function endOnUnhandled(log: Log): void {
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ error, origin }, 'ended by an error that nothing handled')
    process.exit(1)
  })
}

/**
 * Waits until the parent says that servers and schema are prepared; without a parent, not at all. Loading modules is most of the start of
 * a process, and happens before.
 */
export function whenPrepared(): Promise<void> {
  return new Promise(resolve => {
    if (!process.channel) return resolve()
    const end = () => process.exit(0)
    const onMessage = (message: unknown) => {
      if (message === 'shutdown') end()
      if (message !== 'prepared') return
      process.off('message', onMessage)
      process.off('disconnect', end)
      resolve()
    }
    process.on('message', onMessage)
    process.on('disconnect', end)
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
    process.send?.('loaded')
  })
}

/** Reports to the parent, or to PM2, that this process is ready. */
export function reportReady(): void {
  process.send?.('ready')
  freeStartMemory()
}

/** Lowers the CPU priority of this process (nice 12) unless it is lower already: requests get scarce processors first. */
export function yieldToOthers(): void {
  if (getPriority() < NICENESS) setPriority(NICENESS)
}
