import { expect, test } from 'vitest'
import { Turns } from '../../src/embedded/turns.ts'

let clock = 0
/** Duration of a statement. */
const busyFor = (ms: number) => {
  clock += ms
}

/** Asks for a turn of each kind in this order while another has it. @returns the kinds in the order of their turns */
async function orderOf(first: { kind: string; ms: number }, asked: { kind: string; ms: number }[]) {
  const turns = new Turns(() => clock)
  const order: string[] = []
  await turns.acquire(first.kind)
  const all = asked.map(async ({ kind, ms }) => {
    await turns.acquire(kind)
    order.push(kind)
    busyFor(ms)
    turns.release()
  })
  busyFor(first.ms)
  turns.release()
  await Promise.all(all)
  return order
}

const times = (count: number, kind: string, ms: number) => Array.from({ length: count }, () => ({ kind, ms }))

test('turns: a short statement waits for one long statement of another kind, even if more of them wait', async () => {
  const order = await orderOf({ kind: 'long', ms: 20 }, [...times(5, 'long', 20), ...times(3, 'short', 1)])
  expect(order).toEqual(['short', 'short', 'short', 'long', 'long', 'long', 'long', 'long'])
})

test('turns: kinds that wait share the time, not the number of turns', async () => {
  const order = await orderOf({ kind: 'long', ms: 20 }, [...times(3, 'long', 20), ...times(20, 'short', 5)])
  // Four short statements take as long as one long statement.
  expect(order.indexOf('long')).toBeGreaterThanOrEqual(3)
  expect(order.slice(0, 12)).toContain('long')
  expect(order.lastIndexOf('long')).toBeLessThan(20)
})

test('turns: callers of one kind run in the order of their requests', async () => {
  const turns = new Turns(() => clock)
  const order: number[] = []
  await turns.acquire('a')
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
  const turns = new Turns(() => clock)
  await turns.acquire('a')
  const order: string[] = []
  const take = async (kind: string, ms: number) => {
    await turns.acquire(kind)
    order.push(kind)
    busyFor(ms)
    turns.release()
  }
  busyFor(400)
  const rest = [...times(4, 'a', 1).map(({ kind }) => take(kind, 1))]
  const late = times(8, 'b', 40).map(({ kind, ms }) => take(kind, ms))
  turns.release()
  await Promise.all([...rest, ...late])
  expect(order.indexOf('a')).toBeLessThanOrEqual(4)
})

test('turns: requests that arrive during a long statement are read before the next statement begins', async () => {
  const turns = new Turns(() => clock)
  await turns.acquire('a')
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
  const turns = new Turns(() => clock)
  const order: string[] = []
  const take = async (kind: string) => {
    await turns.acquire(kind)
    order.push(kind)
    turns.release()
  }
  await turns.acquire('long')
  const waiting = take('long')
  busyFor(170)
  turns.release()
  await Promise.all([waiting, take('short')])
  expect(order).toEqual(['short', 'long'])
})
