import { HOUR_MS, MINUTE_MS } from '../../../platform/lib/time.ts'
import type { DueDay } from './due-days.ts'

const FIRST_WAIT_MS = 5 * MINUTE_MS
const LONGEST_WAIT_MS = 6 * HOUR_MS

type Day = Pick<DueDay, 'siteNo' | 'startsAt'>

/** Days that could not be exported. Each waits longer after each failure, so that it stops no other day and is not read all the time. */
export class FailedDays {
  readonly #days = new Map<string, Day & { failures: number; retryAt: number }>()

  add({ siteNo, startsAt }: Day, now: Date): void {
    const key = keyOf({ siteNo, startsAt })
    const failures = (this.#days.get(key)?.failures ?? 0) + 1
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1))
    this.#days.set(key, { siteNo, startsAt, failures, retryAt: now.getTime() + wait })
  }

  remove(day: Day): void {
    this.#days.delete(keyOf(day))
  }

  /** Returns the days that wait, as statements take them. */
  waiting(now: Date): string {
    const waiting = [...this.#days.values()].filter(({ retryAt }) => retryAt > now.getTime())
    return JSON.stringify(waiting.map(({ siteNo, startsAt }) => ({ siteNo, startsAt })))
  }
}

const keyOf = ({ siteNo, startsAt }: Day) => `${siteNo} ${startsAt.getTime()}`
