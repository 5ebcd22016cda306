import { getPriority, setPriority } from 'node:os'
import type { Log } from '../src/infra/log.ts'
import { NICENESS } from './niceness.ts'

/** Longest a process may take to put down its work. */
const STOP_TIMEOUT_MS = 8_000

/**
 * Runs `stop` once and exits with 0: on SIGTERM, on the parent's word, and when the parent is gone. More signals
 * change nothing. Ctrl-C, and the end of the terminal, reach every process there: a child leaves it to its parent.
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

/** Tells the parent, and PM2, that this process serves. */
export function reportReady(): void {
  process.send?.('ready')
}

/** Where there are not enough processors, those go first that somebody waits for. One that stands further back stays there. */
export function yieldToOthers(): void {
  if (getPriority() < NICENESS) setPriority(NICENESS)
}
