import { readFileSync } from 'node:fs'

/**
 * Returns the CPU time of this thread in milliseconds, so that work of other threads does not use up a time limit.
 * Only Linux reports it for each thread; on other systems this is the elapsed time.
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
