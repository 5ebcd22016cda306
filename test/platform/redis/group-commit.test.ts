import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { createGroupCommit, type WaitingRoom, waitingRoom } from '../../../src/platform/redis/group-commit.ts'

interface Limits {
  maxBatch?: number
  maxBatchBytes?: number
  paceMs?: number
  room?: WaitingRoom
}

/** A group commit whose batches stay in flight until the test settles them. */
function open({
  maxBatch = 1_000,
  maxBatchBytes = 1_000,
  paceMs = 0,
  room = waitingRoom(1_000, 1_000),
}: Limits = {}) {
  const batches: { items: string[]; resolve(failures?: unknown[]): void; reject(error: unknown): void }[] = []
  const group = createGroupCommit<string>({
    maxBatch,
    maxBatchBytes,
    maxInFlight: 2,
    paceMs,
    room,
    sizeOf: item => item.length,
    commit: items =>
      new Promise((resolve, reject) => {
        const outcomeOf = (failure: unknown) => (failure === undefined ? { value: undefined } : { failure })
        const settle = (failures: unknown[] = []) =>
          resolve(items.map((_, index) => outcomeOf(failures[index])))
        batches.push({ items, resolve: settle, reject })
      }),
  })
  return {
    group,
    batches,
    sent: () => batches.map(batch => batch.items.join('')),
    /** Adds items, each in a turn of the event loop of its own. */
    addInTurn: async (items: string) => {
      for (const item of items) {
        void group.add(item)
        await turns()
      }
    },
    /** Adds items in the same turn. */
    addAll: (...items: string[]) => {
      for (const item of items) void group.add(item)
    },
  }
}
const unavailable = { code: 'unavailable', retryAfter: 1 }

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

test('group commit: an item is sent at once while fewer than two batches are in flight; later ones form the next batch', async () => {
  const { batches, sent, addInTurn } = open()
  await addInTurn('a')
  expect(sent()).toEqual(['a'])
  await addInTurn('bcdef')
  expect(sent()).toEqual(['a', 'b'])
  batches[1]!.resolve()
  await turns()
  expect(sent()).toEqual(['a', 'b', 'cdef'])
})

test('group commit: items of one turn of the event loop share a batch up to the item limit, and the rest follows in order', async () => {
  const { batches, sent, addAll } = open({ maxBatch: 2 })
  addAll(...'abcdefg')
  await turns()
  expect(sent()).toEqual(['ab', 'cd'])
  batches[0]!.resolve()
  batches[1]!.resolve()
  await turns()
  expect(sent()).toEqual(['ab', 'cd', 'ef', 'g'])
})

test('group commit: a failed item fails no other, and a failed commit no other batch in flight', async () => {
  const { group, batches } = open()
  const outcomes: string[] = []
  const all = ['a', 'b', 'c'].map(name => watch(outcomes, name, group.add(name)))
  await turns()
  all.push(watch(outcomes, 'd', group.add('d')))
  await turns()
  batches[1]!.reject(new Error('away'))
  batches[0]!.resolve([undefined, new Error('refused'), undefined])
  await Promise.all(all)
  expect(outcomes.sort()).toEqual(['a done', 'b refused', 'c done', 'd away'])
})

test.each([
  ['item', waitingRoom(2, 1_000), ['c', 'd'], ['f', 'h']],
  ['byte', waitingRoom(1_000, 5), ['ccc', 'dd'], ['fffff']],
])(
  'group commit: above the %s limit an item is refused as unavailable until there is room',
  async (_, room, next, last) => {
    const { group, batches, sent, addInTurn, addAll } = open({ room })
    await addInTurn('ab')
    addAll(...next)
    await expect(group.add('e')).rejects.toMatchObject(unavailable)
    batches[0]!.resolve()
    await turns()
    addAll(...last)
    await expect(group.add('g')).rejects.toMatchObject(unavailable)
    batches[1]!.resolve()
    await turns()
    expect(sent()).toEqual(['a', 'b', next.join(''), last.join('')])
  },
)

test('group commit: two share the room of one: what waits in the first leaves less for the second', async () => {
  const room = waitingRoom(2, 1_000)
  const [first, second] = [open({ room }), open({ room })]
  await first.addInTurn('ab')
  first.addAll('c', 'd')
  await expect(second.group.add('e')).rejects.toMatchObject(unavailable)
  first.batches[0]!.resolve()
  await turns()
  await second.addInTurn('f')
  expect(second.sent()).toEqual(['f'])
})

test('group commit: refused items free their bytes', async () => {
  const { group, batches } = open({ room: waitingRoom(1_000, 5) })
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
  const { group, sent } = open({ room: waitingRoom(1_000, 5) })
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
  const statuses = (await settled).map(result => result.status)
  expect(statuses).toEqual(['rejected', 'fulfilled', 'rejected', 'rejected'])
})

test('group commit: no batch exceeds the byte limit unless a single item does', async () => {
  const { sent, batches, addAll } = open({ maxBatchBytes: 4 })
  addAll('aa', 'bb', 'cc', 'ddddd', 'e')
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
