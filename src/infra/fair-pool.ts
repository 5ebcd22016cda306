import { AppError } from '../errors.ts'
import type { Pool } from './pool.ts'

/** Threads that many share: each owner has a few places, whatever the others do. */
export interface FairPool extends Pool {
  /**
   * Does work for an owner as soon as one of the owner's places is free. Not to be called by work that has one.
   * @throws AppError `unavailable` when too many of the owner's wait already, or when `signal` aborts meanwhile
   */
  enter<Result>(owner: string, signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>
}

interface Line {
  working: number
  waiting: Set<() => void>
}

/**
 * @param limits.places of an owner: work that is done at the same time
 * @param limits.waiting most work of an owner that waits for a place
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

  /** Resolves when there is a place, which is then taken. */
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
