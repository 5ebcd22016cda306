import { expect, test, vi } from 'vitest'
import { poll, retry } from '../../../src/platform/lib/retry.ts'

/** Returns a function that fails as often as told, then returns the number of its runs. */
function failing(times: number) {
  let runs = 0
  return async () => {
    runs += 1
    if (runs <= times) throw new Error(`run ${runs}`)
    return runs
  }
}

test('retry runs again until a run succeeds', async () => {
  expect(await retry(failing(0), { delayMs: 60_000 })).toBe(1)
  expect(await retry(failing(5), { delayMs: 0 })).toBe(6)
})

test('retry throws the error of the last attempt', async () => {
  await expect(retry(failing(5), { attempts: 3, delayMs: 0 })).rejects.toThrow('run 3')
  expect(await retry(failing(2), { attempts: 3, delayMs: 0 })).toBe(3)
})

test('retry throws when the time is over', async () => {
  await expect(retry(failing(1), { withinMs: 0, delayMs: 0 })).rejects.toThrow('run 1')
  let at = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => at)
  const run = failing(1_000)
  const takesTen = () => {
    at += 10
    return run()
  }
  const late = retry(takesTen, { withinMs: 30, delayMs: 0 })
  await expect(late.finally(() => clock.mockRestore())).rejects.toThrow('run 3')
})

test('retry throws an error that should not be retried', async () => {
  const shouldRetry = (error: unknown) => (error as Error).message !== 'run 2'
  await expect(retry(failing(5), { shouldRetry, delayMs: 0 })).rejects.toThrow('run 2')
})

test('retry reports each retry, and asks for its pause', async () => {
  const reported: unknown[] = []
  const pauses: unknown[] = []
  await retry(failing(2), {
    delayMs: (attempt, error) => pauses.push([attempt, (error as Error).message]),
    onRetry: (error, attempt) => reported.push([attempt, (error as Error).message]),
  })
  const retries = [1, 2].map(run => [run, `run ${run}`])
  expect(reported).toEqual(retries)
  expect(pauses).toEqual(retries)
})

test('poll asks until there is an answer, which may be false, or an error', async () => {
  const answers = [undefined, undefined, false, true]
  expect(await poll(1, () => answers.shift())).toBe(false)
  expect(answers).toEqual([true])
  await expect(poll(1, failing(1))).rejects.toThrow('run 1')
})
