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
}

interface Line {
  working: number
  waiting: Set<() => void>
}

/**
 * Returns a pool that limits the work of each owner.
 * @param limits.places work of one owner that runs at the same time
 * @param limits.waiting most work of one owner that waits for a place
 */
export function createFairPool(pool: Pool, limits: { places: number; waiting: number }): FairPool {
  const lines = new Map<string, Line>()

  function leave(owner: string, line: Line): void {
    const [next] = line.waiting
    if (next) {
      line.waiting.delete(next)
      next()
      return
    }
    line.working -= 1
    if (line.working === 0) lines.delete(owner)
  }

  /** Waits for a free place and takes it. */
  async function takePlace(line: Line, signal: AbortSignal | undefined): Promise<void> {
    if (line.working < limits.places) {
      line.working += 1
      return
    }
    if (line.waiting.size >= limits.waiting) throw new AppError('unavailable', TOO_MANY, { retryAfter: 2 })
    await new Promise<void>((resolve, reject) => {
      const admit = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        line.waiting.delete(admit)
        reject(new AppError('unavailable', TOO_LATE, { retryAfter: 5 }))
      }
      line.waiting.add(admit)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  return {
    run: pool.run,
    close: pool.close,
    async enter(owner, signal, work) {
      if (signal?.aborted) throw new AppError('unavailable', TOO_LATE, { retryAfter: 5 })
      const line = lines.get(owner) ?? { working: 0, waiting: new Set() }
      lines.set(owner, line)
      await takePlace(line, signal)
      try {
        return await work()
      } finally {
        leave(owner, line)
      }
    },
  }
}

const TOO_MANY =
  'Too many requests of this team with patterns or goals wait at once; send them one after the other, or try again shortly'
const TOO_LATE = 'The answer takes too long; try again shortly'
