import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSorter, type SortOptions } from '../../../../src/outgoing/transfer/sort/sorter.ts'
import { temporaryFolder } from '../../../scripts/command.ts'

const folder = join(temporaryFolder(), 'sort')

async function sort(entries: [string, string][], options: Partial<SortOptions> = {}) {
  const sorter = createSorter({ folder, ...options })
  try {
    for (const [key, value] of entries) await sorter.add(key, value)
    const sorted: [string, string][] = []
    for await (const block of sorter.sorted()) for (const { key, value } of block) sorted.push([key, value])
    return sorted
  } finally {
    await sorter.close()
  }
}

test('sorter: the output is the input in order, equal keys as they were added, with any number of files', async () => {
  const key = fc.stringMatching(/^[a-cü😀]{0,2}$/u)
  const entries = fc.array(fc.tuple(key, fc.stringMatching(/^[a-z\tü]{0,4}$/)), { maxLength: 120 })
  const bounds = fc.record({
    maxChars: fc.integer({ min: 1, max: 60 }),
    maxRuns: fc.integer({ min: 2, max: 5 }),
  })
  await fc.assert(
    fc.asyncProperty(entries, bounds, async (given, options) => {
      const expected = given.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      expect(await sort(given, options)).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})

test('sorter: long values and many blocks come back whole', async () => {
  const given = Array.from({ length: 3_000 }, (_, index): [string, string] => [
    String((index * 7_919) % 3_000).padStart(5, '0'),
    'ü'.repeat(index % 400),
  ])
  const expected = given.toSorted(([a], [b]) => (a < b ? -1 : 1))
  expect(await sort(given, { maxChars: 100_000, maxRuns: 3 })).toEqual(expected)
})

test('sorter: temporary files have no name, so that nothing is left of a killed process', async () => {
  const sorter = createSorter({ folder, maxChars: 1 })
  await sorter.add('a', '1')
  await sorter.add('b', '2')
  expect(readdirSync(folder)).toEqual([])
  await sorter.close()
})

test('sorter: it stops when the disk is nearly full', async () => {
  const requireFreeDisk = async () => {
    throw new Error('the disk is nearly full')
  }
  await expect(sort([['a', '1']], { maxChars: 1, requireFreeDisk })).rejects.toThrow('nearly full')
})
