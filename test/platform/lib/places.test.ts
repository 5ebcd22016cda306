import { expect, test } from 'vitest'
import { createPlaces } from '../../../src/platform/lib/places.ts'
import { deferred } from '../../support/deferred.ts'

/** A task that runs until it is told to end. */
function task() {
  const { promise, resolve: end } = deferred()
  const state = {
    isRunning: false,
    end,
    run: async () => {
      state.isRunning = true
      await promise
      state.isRunning = false
    },
  }
  return state
}
const soon = () => new Promise(resolve => setImmediate(resolve))

test('places: no more tasks run at once than there are places, in the order of the calls', async () => {
  const inPlace = createPlaces({ places: 2, waiting: 2, full: () => new Error('full') })
  const tasks = [task(), task(), task(), task()]
  const done = tasks.map(each => inPlace(each.run))
  await soon()
  expect(tasks.map(each => each.isRunning)).toEqual([true, true, false, false])
  tasks[1]!.end()
  await soon()
  expect(tasks.map(each => each.isRunning)).toEqual([true, false, true, false])
  for (const each of tasks) each.end()
  await Promise.all(done)
})

test('places: a task is refused when too many wait, and accepted when they are done', async () => {
  const inPlace = createPlaces({ places: 1, waiting: 1, full: () => new Error('full') })
  const [first, second] = [task(), task()]
  const done = [inPlace(first.run), inPlace(second.run)]
  await expect(inPlace(async () => {})).rejects.toThrow('full')
  first.end()
  second.end()
  await Promise.all(done)
  await expect(inPlace(async () => 'done')).resolves.toBe('done')
})

test('places: a task that fails frees its place', async () => {
  const inPlace = createPlaces({ places: 1, waiting: 0, full: () => new Error('full') })
  await expect(inPlace(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(inPlace(async () => 'done')).resolves.toBe('done')
})
