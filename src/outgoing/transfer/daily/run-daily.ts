import { MINUTE_MS } from '../../../platform/lib/time.ts'
import { type Lease, whileHolding } from '../../../platform/redis/lease.ts'
import type { Log } from '../../../platform/runtime/log.ts'
import type { DueDay } from './due-days.ts'
import { type DailyExport, exportDays } from './export-days.ts'
import { FailedDays } from './failed-days.ts'

/** Name of the lease that a process holds while it exports days. */
export const DAILY_EXPORT = 'daily-export'

/**
 * Exports due days every few minutes, on one process of all hosts. A failure is logged, and the day tried again later.
 * @returns stops it, and waits for the piece that is being written
 */
export function runDailyExport(
  given: DailyExport & { lease: Lease; log: Log; everyMs?: number },
): () => Promise<void> {
  const { lease, log, everyMs = 5 * MINUTE_MS } = given
  const stopping = new AbortController()
  const failed = new FailedDays()
  const onFailure = ({ siteId: site, day }: DueDay, error: unknown) =>
    log.error({ error, site, day }, 'a day could not be exported; it is tried again')
  let running: Promise<unknown> = Promise.resolve()

  async function run(): Promise<void> {
    try {
      const { signal } = stopping
      const done = await whileHolding(lease, () =>
        exportDays(given, { siteNo: null, signal, failed, onFailure }),
      )
      if (done && done.result.days > 0) log.info(done.result, 'days were exported')
    } catch (error) {
      if (stopping.signal.aborted) return
      log.error({ error }, 'the daily export failed; it is tried again')
    }
  }

  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    running = run().finally(() => {
      isRunning = false
    })
  }, everyMs)
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await running
  }
}
