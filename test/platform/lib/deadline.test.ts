import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withDeadline } from '../../../src/platform/lib/deadline.ts'
import { deferred } from '../../support/deferred.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const tooLate = () => new Error('too late')

test('deadline: work in time gives its result or its error, and leaves no timer', async () => {
  expect(await withDeadline(100, Promise.resolve(7), tooLate)).toBe(7)
  await expect(withDeadline(100, Promise.reject(new Error('refused')), tooLate)).rejects.toThrow('refused')
  expect(vi.getTimerCount()).toBe(0)
})

test('deadline: late work fails exactly at the deadline, and its own failure later is not unhandled', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const { promise, reject } = deferred<never>()
  let outcome = 'open'
  void withDeadline(100, promise, tooLate).catch(error => {
    outcome = error.message
  })
  await vi.advanceTimersByTimeAsync(99)
  expect(outcome).toBe('open')
  await vi.advanceTimersByTimeAsync(1)
  expect(outcome).toBe('too late')
  reject(new Error('refused'))
  await nextTurn()
  await nextTurn()
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

test('deadline: a lazy statement is started', async () => {
  const begun = vi.fn()
  const lazy = {
    // biome-ignore lint/suspicious/noThenProperty: as the database driver's queries
    then: (resolve: (value: number) => void) => {
      begun()
      resolve(1)
    },
  } as PromiseLike<number>
  expect(await withDeadline(100, lazy, tooLate)).toBe(1)
  expect(begun).toHaveBeenCalledOnce()
})

test('deadline: an answer that arrived while the process was blocked is in time', async () => {
  vi.useRealTimers()
  const hasAnswered = new Int32Array(new SharedArrayBuffer(4))
  const other = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
    parentPort.on('message', () => {
      parentPort.postMessage(7)
      Atomics.store(workerData, 0, 1)
      Atomics.notify(workerData, 0)
    })`,
    { eval: true, workerData: hasAnswered },
  )
  await once(other, 'online')
  const answer = once(other, 'message').then(([value]) => value)
  await nextTurn() // timers come next, then answers
  const outcome = withDeadline(1, answer, tooLate)
  other.postMessage('ask')
  Atomics.wait(hasAnswered, 0, 0)
  const standsUntil = performance.now() + 2
  while (performance.now() < standsUntil);
  expect(await outcome).toBe(7)
  await other.terminate()
})
