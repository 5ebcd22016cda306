import { expect, test } from 'vitest'
import { createFairPool } from '../../../src/platform/threads/fair-pool.ts'
import type { Pool } from '../../../src/platform/threads/pool.ts'
import { deferred } from '../../support/deferred.ts'

const pool: Pool = { run: async () => undefined, close: async () => {} }

/** Work that runs until the test ends it. */
function openWork() {
  const { promise, resolve } = deferred<string>()
  let isRunning = false
  return {
    run: () => {
      isRunning = true
      return promise
    },
    end: () => resolve('done'),
    isRunning: () => isRunning,
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

test('fair pool: an owner has its places, and waiting work starts in the order of arrival', async () => {
  const fair = createFairPool(pool, { places: 2, waiting: 2 })
  const works = Array.from({ length: 4 }, openWork)
  const answers = works.map(work => fair.enter('a', undefined, work.run))
  await settled()
  expect(works.map(work => work.isRunning())).toEqual([true, true, false, false])
  works[1]!.end()
  await settled()
  expect(works.map(work => work.isRunning())).toEqual([true, true, true, false])
  for (const work of works) work.end()
  expect(await Promise.all(answers)).toEqual(Array(4).fill('done'))
})

test('fair pool: an owner with a full line is refused, another one is not delayed', async () => {
  const fair = createFairPool(pool, { places: 1, waiting: 1 })
  const [first, second, third, other] = Array.from({ length: 4 }, openWork)
  const answers = [fair.enter('a', undefined, first!.run), fair.enter('a', undefined, second!.run)]
  await expect(fair.enter('a', undefined, third!.run)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfter: expect.any(Number),
    message: expect.stringContaining('one after the other'),
  })
  expect(third!.isRunning()).toBe(false)
  const answer = fair.enter('b', undefined, other!.run)
  await settled()
  expect(other!.isRunning()).toBe(true)
  for (const work of [first!, second!, other!]) work.end()
  expect(await Promise.all([...answers, answer])).toEqual(['done', 'done', 'done'])
  expect(await fair.enter('a', undefined, async () => 'again')).toBe('again')
})

test('fair pool: an aborted request leaves the line, and its place goes to the next', async () => {
  const fair = createFairPool(pool, { places: 1, waiting: 2 })
  const [first, gone, next] = Array.from({ length: 3 }, openWork)
  const client = new AbortController()
  const answers = [fair.enter('a', undefined, first!.run)]
  const refused = fair.enter('a', client.signal, gone!.run)
  answers.push(fair.enter('a', undefined, next!.run))
  client.abort()
  await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
  await expect(fair.enter('a', client.signal, gone!.run)).rejects.toMatchObject({ code: 'unavailable' })
  first!.end()
  await settled()
  expect([gone!.isRunning(), next!.isRunning()]).toEqual([false, true])
  next!.end()
  expect(await Promise.all(answers)).toEqual(['done', 'done'])
})

test('fair pool: work that fails frees its place', async () => {
  const fair = createFairPool(pool, { places: 1, waiting: 0 })
  const failing = () => fair.enter('a', undefined, () => Promise.reject(new Error('failed')))
  await expect(failing()).rejects.toThrow('failed')
  await expect(failing()).rejects.toThrow('failed')
})

/** A fair pool of one owner, whose works end by their names. */
const held = (places: number, waiting: number) => {
  const fair = createFairPool(pool, { places, waiting })
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const running: Promise<unknown>[] = []
  const work = (name: string) => () => {
    started.push(name)
    return new Promise<void>(resolve => ends.set(name, resolve))
  }
  const guest = (name: string, signal?: AbortSignal) => fair.guests.enter('a', signal, work(name))
  return {
    started,
    guest,
    own: (name: string) => void running.push(fair.enter('a', undefined, work(name))),
    guests: (...names: string[]) => void running.push(...names.map(name => guest(name))),
    end: async (name: string) => {
      ends.get(name)!()
      await settled()
    },
    all: () => Promise.all(running),
  }
}

test('fair pool guests: guests leave one place free, however many they are', async () => {
  const { started, guests, own, end, all } = held(2, 4)
  guests('guest 1', 'guest 2')
  own('own')
  await settled()
  expect(started).toEqual(['guest 1', 'own'])
  await end('own')
  expect(started).toEqual(['guest 1', 'own'])
  await end('guest 1')
  expect(started).toEqual(['guest 1', 'own', 'guest 2'])
  await end('guest 2')
  await all()
})

test("fair pool guests: the owner's work goes first, even if guests have waited longer", async () => {
  const { started, guests, own, end, all } = held(1, 4)
  guests('guest 1', 'guest 2')
  own('own')
  await settled()
  await end('guest 1')
  expect(started).toEqual(['guest 1', 'own'])
  for (const name of ['own', 'guest 2']) await end(name)
  await all()
})

test('fair pool guests: guests fill at most half of the line, and do not keep the owner from waiting', async () => {
  const { guests, guest, own, end, all } = held(1, 2)
  own('own 1')
  guests('guest 1')
  await expect(guest('guest 2')).rejects.toMatchObject({ code: 'unavailable' })
  own('own 2')
  await settled()
  for (const name of ['own 1', 'own 2', 'guest 1']) await end(name)
  await all()
})

test('fair pool guests: a guest that gives up leaves the line', async () => {
  const { started, guests, guest, own, end, all } = held(1, 2)
  const gone = new AbortController()
  own('own')
  const leaving = guest('guest 1', gone.signal)
  gone.abort()
  await expect(leaving).rejects.toMatchObject({ code: 'unavailable' })
  guests('guest 2')
  await settled()
  await end('own')
  expect(started).toEqual(['own', 'guest 2'])
  await end('guest 2')
  await all()
})
