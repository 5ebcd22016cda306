import { setTimeout as sleep } from 'node:timers/promises'

export interface RetryOptions {
  /** Most runs; no limit without it. */
  attempts?: number
  /** No retry starts after this time; no limit without it. */
  withinMs?: number
  /** Returns false for an error that another run cannot help; every error is retried without it. */
  shouldRetry?: (error: unknown, attempt: number) => boolean
  /** Pause before the next run. */
  delayMs: number | ((attempt: number, error: unknown) => number)
  onRetry?: (error: unknown, attempt: number) => void
}

/**
 * Runs an operation until it succeeds. Attempts are counted from 1.
 * @throws the error of the last run, when there is no further one
 */
export async function retry<Result>(run: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { attempts = Number.POSITIVE_INFINITY, withinMs = Number.POSITIVE_INFINITY } = options
  const { shouldRetry, delayMs, onRetry } = options
  const giveUpAt = performance.now() + withinMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt >= attempts || performance.now() >= giveUpAt) throw error
      if (shouldRetry && !shouldRetry(error, attempt)) throw error
      onRetry?.(error, attempt)
      await sleep(typeof delayMs === 'number' ? delayMs : delayMs(attempt, error))
    }
  }
}

/**
 * Asks again until there is an answer.
 * @param ask returns undefined when there is no answer yet; an error ends the wait
 */
export async function poll<Answer>(
  everyMs: number,
  ask: () => Promise<Answer | undefined> | Answer | undefined,
): Promise<Answer> {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await sleep(everyMs)
  }
}
