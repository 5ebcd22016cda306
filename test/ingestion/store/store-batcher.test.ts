import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createStoreBatcher, type PartitionHits } from '../../../src/ingestion/store/store-batcher.ts'

/** A store batcher whose transactions run until the test ends them. */
function open() {
  const begun: { parts: PartitionHits[]; end: () => void }[] = []
  const batcher = createStoreBatcher(parts => new Promise<void>(end => begun.push({ parts, end })))
  const add = (partition: number, count = 1) => {
    void batcher.add({ partition, hits: new Array(count).fill({}), isSecondTry: false })
  }
  /** Partitions and hits of each transaction so far. */
  const seen = () =>
    begun.map(({ parts }) => [
      [...new Set(parts.map(part => part.partition))].join(''),
      parts.reduce((sum, part) => sum + part.hits.length, 0),
    ])
  return { add, begun, seen }
}

async function turns() {
  for (let turn = 0; turn < 3; turn++) await nextTurn()
}

test('store batcher: parts that arrive together form one transaction across partitions', async () => {
  const { add, seen } = open()
  for (const partition of [2, 0, 2, 3]) add(partition)
  await turns()
  expect(seen()).toEqual([['203', 4]])
})

test('store batcher: parts that arrive during a transaction form the next one, across partitions', async () => {
  const { add, begun, seen } = open()
  add(0)
  await turns()
  for (const partition of [1, 0, 3]) add(partition, 10)
  await turns()
  expect(seen()).toEqual([['0', 1]])
  begun[0]!.end()
  await expect.poll(seen).toEqual([
    ['0', 1],
    ['103', 30],
  ])
})

test('store batcher: under load each partition has its own transactions within the size limit', async () => {
  const { add, begun, seen } = open()
  add(0)
  await turns()
  for (let job = 0; job < 13; job++) for (const partition of [1, 2]) add(partition, 500)
  await turns()
  // Both begin while the first one still runs.
  expect(seen()).toEqual([
    ['0', 1],
    ['1', 5_000],
    ['2', 5_000],
  ])
  for (const { end } of begun) end()
  await expect
    .poll(() => seen().slice(3))
    .toEqual([
      ['1', 1_500],
      ['2', 1_500],
    ])
})

test('store batcher: a part above the size limit is stored alone', async () => {
  const { add, begun, seen } = open()
  add(1, 6_000)
  add(1)
  await turns()
  expect(seen()).toEqual([['1', 6_000]])
  begun[0]!.end()
  await expect.poll(seen).toEqual([
    ['1', 6_000],
    ['1', 1],
  ])
})
