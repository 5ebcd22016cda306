import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createGroupCommit, type WaitingRoom, waitingRoom } from '../../src/redis/group-commit.ts'

/** A group commit whose batches stay in flight until the test settles them. */
function open(
  limits: {
    maxBatch?: number
    maxBatchBytes?: number
    maxWaiting?: number
    maxWaitingBytes?: number
    paceMs?: number
    room?: WaitingRoom
  } = {},
) {
  const batches: {
    items: string[]
    resolve(failures?: unknown[]): void
    reject(error: unknown): void
  }[] = []
  const group = createGroupCommit<string>({
    maxBatch: limits.maxBatch ?? 1_000,
    maxBatchBytes: limits.maxBatchBytes ?? 1_000,
    maxInFlight: 2,
    paceMs: limits.paceMs ?? 0,
    room: limits.room ?? waitingRoom(limits.maxWaiting ?? 1_000, limits.maxWaitingBytes ?? 1_000),
    sizeOf: item => item.length,
    commit: items =>
      new Promise((resolve, reject) => {
        const outcomeOf = (failure: unknown) => (failure === undefined ? { value: undefined } : { failure })
        batches.push({
          items,
          resolve: (failures = []) => resolve(items.map((_, index) => outcomeOf(failures[index]))),
          reject,
        })
      }),
  })
  return { group, batches, sent: () => batches.map(batch => batch.items.join('')) }
}

/** Records outcomes in the order in which they happen. */
function watch(outcomes: string[], name: string, added: Promise<void>) {
  return added.then(
    () => outcomes.push(`${name} done`),
    error => outcomes.push(`${name} ${error.message}`),
  )
}

async function turns() {
  for (let turn = 0; turn < 3; turn++) await nextTurn()
}

test('group commit: an item is sent at once while fewer than two batches are in flight', async () => {
  const { group, sent } = open()
  void group.add('a')
  await turns()
  expect(sent()).toEqual(['a'])
  void group.add('b')
  await turns()
  expect(sent()).toEqual(['a', 'b'])
})

test('group commit: items of one turn of the event loop share a batch', async () => {
  const { group, sent } = open()
  for (const item of 'abc') void group.add(item)
  await turns()
  expect(sent()).toEqual(['abc'])
})

test('group commit: items that arrive while two batches are in flight form the next batch', async () => {
  const { group, batches, sent } = open()
  void group.add('a')
  await turns()
  void group.add('b')
  await turns()
  for (const item of 'cdef') {
    void group.add(item)
    await turns()
  }
  expect(sent()).toEqual(['a', 'b'])
  batches[1]!.resolve()
  await turns()
  expect(sent()).toEqual(['a', 'b', 'cdef'])
})

test('group commit: no batch exceeds the item limit, and the rest follows in order', async () => {
  const { group, batches, sent } = open({ maxBatch: 2 })
  for (const item of 'abcdefg') void group.add(item)
  await turns()
  expect(sent()).toEqual(['ab', 'cd'])
  batches[0]!.resolve()
  batches[1]!.resolve()
  await turns()
  expect(sent()).toEqual(['ab', 'cd', 'ef', 'g'])
})

test('group commit: a failed item does not fail the others', async () => {
  const { group, batches } = open()
  const outcomes: string[] = []
  const all = ['a', 'b', 'c'].map(name => watch(outcomes, name, group.add(name)))
  await turns()
  batches[0]!.resolve([undefined, new Error('refused'), undefined])
  await Promise.all(all)
  expect(outcomes).toEqual(['a done', 'b refused', 'c done'])
})

test('group commit: a failed commit fails its own batch and no other in flight', async () => {
  const { group, batches } = open()
  const outcomes: string[] = []
  const all = [watch(outcomes, 'a', group.add('a')), watch(outcomes, 'b', group.add('b'))]
  await turns()
  all.push(watch(outcomes, 'c', group.add('c')))
  await turns()
  batches[0]!.reject(new Error('away'))
  batches[1]!.resolve()
  await Promise.all(all)
  expect(outcomes.sort()).toEqual(['a away', 'b away', 'c done'])
})

test('group commit: above the item limit an item is refused as unavailable until there is room', async () => {
  const { group, batches, sent } = open({ maxWaiting: 2 })
  for (const item of 'ab') {
    void group.add(item)
    await turns()
  }
  void group.add('c')
  void group.add('d')
  await expect(group.add('e')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 })
  batches[0]!.resolve()
  await turns()
  void group.add('f')
  batches[1]!.resolve()
  await turns()
  expect(sent()).toEqual(['a', 'b', 'cd', 'f'])
})

test('group commit: above the byte limit an item is refused as unavailable until there is room', async () => {
  const { group, batches, sent } = open({ maxWaitingBytes: 5 })
  for (const item of 'ab') {
    void group.add(item)
    await turns()
  }
  void group.add('ccc')
  void group.add('dd')
  await expect(group.add('e')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 })
  batches[0]!.resolve()
  await turns()
  void group.add('fffff')
  await expect(group.add('g')).rejects.toMatchObject({ code: 'unavailable' })
  batches[1]!.resolve()
  await turns()
  expect(sent()).toEqual(['a', 'b', 'cccdd', 'fffff'])
})

test('group commit: two share the room of one: what waits in the first leaves less for the second', async () => {
  const room = waitingRoom(2, 1_000)
  const [first, second] = [open({ room }), open({ room })]
  for (const item of 'ab') {
    void first.group.add(item)
    await turns()
  }
  void first.group.add('c')
  void first.group.add('d')
  await expect(second.group.add('e')).rejects.toMatchObject({ code: 'unavailable' })
  first.batches[0]!.resolve()
  await turns()
  void second.group.add('f')
  await turns()
  expect(second.sent()).toEqual(['f'])
})

test('group commit: refused items free their bytes', async () => {
  const { group, batches } = open({ maxWaitingBytes: 5 })
  const settled = Promise.allSettled([group.add('a')])
  await turns()
  const next = Promise.allSettled([group.add('b')])
  await turns()
  const waiting = Promise.allSettled([group.add('ccccc')])
  batches[0]!.reject(new Error('away'))
  await settled
  await waiting
  batches[1]!.resolve()
  await next
  void group.add('ddddd')
  await turns()
  expect(batches[2]!.items).toEqual(['ddddd'])
})

test('group commit: an item above the byte limit is accepted when nothing waits', async () => {
  const { group, sent } = open({ maxWaitingBytes: 5 })
  void group.add('aaaaaaaa')
  await expect(group.add('b')).rejects.toMatchObject({ code: 'unavailable' })
  await turns()
  expect(sent()).toEqual(['aaaaaaaa'])
})

test('group commit: it is idle when nothing waits or is in flight, failures included', async () => {
  const { group, batches } = open({ maxBatch: 1 })
  await group.idle()
  const settled = Promise.allSettled(['a', 'b', 'c'].map(item => group.add(item)))
  let isIdle = false
  const idle = group.idle().then(() => {
    isIdle = true
  })
  await turns()
  batches[0]!.resolve()
  batches[1]!.reject(new Error('away'))
  await turns()
  expect(isIdle).toBe(false)
  batches[2]!.resolve()
  await idle
  expect((await settled).map(result => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('group commit: when a whole batch fails, waiting items are refused with it', async () => {
  const { group, batches } = open({ maxBatch: 1 })
  const settled = Promise.allSettled(['a', 'b', 'c', 'd'].map(item => group.add(item)))
  await turns()
  batches[0]!.reject(new Error('away'))
  batches[1]!.resolve()
  expect((await settled).map(result => result.status)).toEqual([
    'rejected',
    'fulfilled',
    'rejected',
    'rejected',
  ])
})

test('group commit: no batch exceeds the byte limit unless a single item does', async () => {
  const { group, sent, batches } = open({ maxBatchBytes: 4 })
  for (const item of ['aa', 'bb', 'cc', 'ddddd', 'e']) void group.add(item)
  await turns()
  expect(sent()).toEqual(['aabb', 'cc'])
  for (const batch of [...batches]) batch.resolve()
  await turns()
  expect(sent()).toEqual(['aabb', 'cc', 'ddddd', 'e'])
})

test('group commit: with a pace, items that come after a batch share the next one, also while nothing is in flight', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  try {
    const { group, batches, sent } = open({ paceMs: 4 })
    const first = group.add('a')
    await turns()
    batches[0]!.resolve()
    await first
    const next = [group.add('b'), group.add('c')]
    await turns()
    expect(sent()).toEqual(['a'])
    vi.advanceTimersByTime(4)
    expect(sent()).toEqual(['a', 'bc'])
    batches[1]!.resolve()
    await Promise.all(next)
    vi.advanceTimersByTime(4)
    void group.add('d')
    await turns()
    expect(sent()).toEqual(['a', 'bc', 'd'])
  } finally {
    vi.useRealTimers()
  }
})
