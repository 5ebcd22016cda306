import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Returns the result of `work`. It measures with a timer of this process, not with a clock: on a busy machine, time limits of the work
 * and this one are late together.
 * @throws Error when the work takes longer
 */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const over = new AbortController()
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`it took longer than ${ms} ms`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {})
    over.abort()
  }
}

/** Runs `work` and returns the CPU that this process used meanwhile, in ms: other processes do not slow that down. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
