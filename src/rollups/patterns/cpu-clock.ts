import { readFileSync } from 'node:fs'

/**
 * Milliseconds this thread has run: what a processor did for others meanwhile is no work of ours. Linux alone says so
 * by thread; elsewhere it is the time that passed.
 */
export function cpuMs(): number {
  if (hasSchedulerStatistics) {
    const [ranNs] = readFileSync(STATISTICS, 'latin1').split(' ')
    return Number(ranNs) / 1e6
  }
  return performance.now()
}

const STATISTICS = '/proc/thread-self/schedstat'

const hasSchedulerStatistics = (() => {
  try {
    return Number(readFileSync(STATISTICS, 'latin1').split(' ')[0]) > 0
  } catch {
    return false
  }
})()
