import { expect, test } from 'vitest'
import { Turns } from '../../../src/platform/embedded/session-turns.ts'

let clock = 0
/** Duration of a statement. */
const busyFor = (ms: number) => {
  clock += ms
}

/** Turns that one kind has; `take` asks for one, and notes the kind when it begins. */
async function held(kind: string) {
  const turns = new Turns(() => clock)
  const order: string[] = []
  const take = async (asking: string, ms = 0) => {
    await turns.acquire(asking)
    order.push(asking)
    busyFor(ms)
    turns.release()
  }
  const takeAll = (count: number, asking: string, ms: number) =>
    Array.from({ length: count }, () => take(asking, ms))
  await turns.acquire(kind)
  return { turns, order, take, takeAll }
}

test('turns: a short statement waits for one long statement of another kind, even if more of them wait', async () => {
  const { turns, order, takeAll } = await held('long')
  const all = [...takeAll(5, 'long', 20), ...takeAll(3, 'short', 1)]
  busyFor(20)
  turns.release()
  await Promise.all(all)
  expect(order).toEqual([...Array(3).fill('short'), ...Array(5).fill('long')])
})

test('turns: kinds that wait share the time, not the number of turns', async () => {
  const { turns, order, takeAll } = await held('long')
  const all = [...takeAll(3, 'long', 20), ...takeAll(20, 'short', 5)]
  busyFor(20)
  turns.release()
  await Promise.all(all)
  // Four short statements take as long as one long statement.
  expect(order.indexOf('long')).toBeGreaterThanOrEqual(3)
  expect(order.slice(0, 12)).toContain('long')
  expect(order.lastIndexOf('long')).toBeLessThan(20)
})

test('turns: callers of one kind run in the order of their requests', async () => {
  const { turns } = await held('a')
  const order: number[] = []
  const all = [1, 2, 3].map(async no => {
    await turns.acquire('a')
    order.push(no)
    turns.release()
  })
  turns.release()
  await Promise.all(all)
  expect(order).toEqual([1, 2, 3])
})

test('turns: a kind that returns after a long pause has a credit of 0.1 s, not of the whole pause', async () => {
  const { turns, order, takeAll } = await held('a')
  busyFor(400)
  const all = [...takeAll(4, 'a', 1), ...takeAll(8, 'b', 40)]
  turns.release()
  await Promise.all(all)
  expect(order.indexOf('a')).toBeLessThanOrEqual(4)
})

test('turns: requests that arrive during a long statement are read before the next statement begins', async () => {
  const { turns } = await held('a')
  let isHeard = false
  setImmediate(() => {
    isHeard = true
  })
  busyFor(10)
  turns.release()
  await turns.acquire('b')
  expect(isHeard).toBe(true)
})

test('turns: a short statement that arrives just after a long one runs before the next long one', async () => {
  const { turns, order, take } = await held('long')
  const waiting = take('long')
  busyFor(170)
  turns.release()
  await Promise.all([waiting, take('short')])
  expect(order).toEqual(['short', 'long'])
})
