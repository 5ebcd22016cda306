import { AppError } from '../errors.ts'
import type { Pool } from './pool.ts'

/** Shared threads in which each owner has a few places of its own, so that one owner cannot block the others. */
export interface FairPool extends Pool {
  /**
   * Runs work for an owner when one of the owner's places is free. Do not call it from work that holds a place: it could
   * wait for itself.
   * @throws AppError `unavailable` when too much work of the owner waits already, or when `signal` aborts during the wait
   */
  enter<Result>(owner: string, signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>
  /**
   * The same pool for work that others ask for, such as readers of a public site. It takes the places of the owner, but leaves one
   * free where there are several, waits behind the owner's own work, and fills at most half of the line.
   */
  guests: FairPool
}

interface Line {
  working: number
  /** How many of those that work are guests. */
  guestsWorking: number
  waiting: Set<() => void>
  guestsWaiting: Set<() => void>
}

/**
 * Returns a pool that limits the work of each owner.
 * @param limits.places work of one owner that runs at the same time
 * @param limits.waiting most work of one owner that waits for a place
 */
export function createFairPool(pool: Pool, limits: { places: number; waiting: number }): FairPool {
  const lines = new Map<string, Line>()
  const mostGuests = Math.max(1, limits.places - 1)
  const mostGuestsWaiting = Math.floor(limits.waiting / 2)

  function leave(owner: string, line: Line, isGuest: boolean): void {
    if (isGuest) line.guestsWorking -= 1
    const hasGuestPlace = line.guestsWorking < mostGuests
    const waiting = line.waiting.size > 0 || !hasGuestPlace ? line.waiting : line.guestsWaiting
    const [next] = waiting
    if (next) {
      waiting.delete(next)
      if (waiting === line.guestsWaiting) line.guestsWorking += 1
      next()
      return
    }
    line.working -= 1
    if (line.working === 0) lines.delete(owner)
  }

  /** Waits for a free place and takes it. */
  async function takePlace(line: Line, signal: AbortSignal | undefined, isGuest: boolean): Promise<void> {
    if (line.working < limits.places && (!isGuest || line.guestsWorking < mostGuests)) {
      line.working += 1
      if (isGuest) line.guestsWorking += 1
      return
    }
    const waiting = isGuest ? line.guestsWaiting : line.waiting
    if (waiting.size >= (isGuest ? mostGuestsWaiting : limits.waiting)) {
      throw new AppError('unavailable', TOO_MANY, { retryAfter: 2 })
    }
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        waiting.delete(admit)
        reject(new AppError('unavailable', TOO_LATE, { retryAfter: 5 }))
      }
      waiting.add(admit)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  const enterAs =
    (isGuest: boolean): FairPool['enter'] =>
    async (owner, signal, work) => {
      if (signal?.aborted) throw new AppError('unavailable', TOO_LATE, { retryAfter: 5 })
      const line = lines.get(owner) ?? {
        working: 0,
        guestsWorking: 0,
        waiting: new Set(),
        guestsWaiting: new Set(),
      }
      lines.set(owner, line)
      await takePlace(line, signal, isGuest)
      try {
        return await work()
      } finally {
        leave(owner, line, isGuest)
      }
    }

  const { run, close } = pool
  const guests: FairPool = {
    ...{ run, close, enter: enterAs(true) },
    get guests() {
      return guests
    },
  }
  return { run, close, enter: enterAs(false), guests }
}

const TOO_MANY =
  'Too many requests of this team with patterns or goals wait at once; send them one after the other, or try again shortly'
const TOO_LATE = 'The answer takes too long; try again shortly'
