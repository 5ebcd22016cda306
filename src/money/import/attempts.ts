import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../platform/errors.ts'
import { NotNow } from './read-page.ts'

/** Pause after the first failure that may pass; it doubles with each further one. */
const FIRST_PAUSE_S = 1
const LONGEST_PAUSE_S = 60
/** Failures in a row after which a command gives up. The service tries on. */
const MOST_FAILURES = 8

export type Pause = (seconds: number) => Promise<unknown>
export const wait: Pause = seconds => sleep(seconds * 1000)

/** Seconds until the next attempt: what the processor asks for, else twice as long with each failure, with some chance. */
export function pauseAfter(failures: number, { seconds }: Pick<NotNow, 'seconds'>): number {
  const own = Math.min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** failures) * (0.75 + Math.random() / 2)
  return Math.min(Math.max(seconds ?? 0, own), 10 * LONGEST_PAUSE_S)
}

/**
 * Runs a step, and again after a pause while the processor cannot answer.
 * @throws AppError `unavailable` after nine failures in a row; any other error of the step
 */
export async function withAttempts<Result>(step: () => Promise<Result>, pause: Pause): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof NotNow)) throw error
      if (failures === MOST_FAILURES) throw new AppError('unavailable', error.message, { cause: error })
      await pause(pauseAfter(failures, error))
    }
  }
}
