import { expect, test } from 'vitest'
import { encodeValues, noCounts } from '../../../src/storage/rollups/daily/codec.ts'
import { compareTexts } from '../../../src/storage/rollups/daily/value-dictionary.ts'
import {
  countTogether,
  type DistinctVisitors,
  serializeVisitors,
  uniteDays,
  uniteSets,
} from '../../../src/storage/rollups/daily/visitor-set.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'

/** Some of the numbers below `most`. */
const someOf = (random: Random, size: number, most: number) =>
  Uint32Array.from(new Set(Array.from({ length: size }, () => random.int(most)))).sort()

function uniteLists(days: Uint32Array[]): DistinctVisitors {
  return uniteDays(
    days.map(visitors => {
      const counts = { ...noCounts(), visitors: visitors.length }
      const encoded = encodeValues([{ valueId: 1, counts, visitors }])
      return { visitors: encoded.visitors, offset: 0, count: visitors.length }
    }),
  )
}

const serialize = (numbers: Uint32Array) => serializeVisitors([numbers])

const count = (...lists: number[][]) =>
  countTogether(
    [],
    lists.map(list => Uint32Array.from(list)),
  )

test('distinct visitors: a number in several lists counts once, and one far beyond the others loses none', () => {
  expect([count(), count([], [])]).toEqual([0, 0])
  expect(count([0, 31, 32, 63], [31, 63, 64], [0, 64, 33])).toBe(6)
  expect(count([1, 2], [5_000_000, 2], [2 ** 26, 1])).toBe(4)
  expect(count([1, 2 ** 29])).toBe(2)
  expect(count([2 ** 32 - 1, 0], [2 ** 31])).toBe(3)
})

test.each([
  ['a few', 50, 400],
  ['many', 3_000, 40_000],
  ['many in few numbers', 3_000, 5_000],
])('distinct visitors: %s of them of several days, in every encoding, count once', (_, size, most) => {
  const random = randomFrom(size + most)
  for (let round = 0; round < 20; round++) {
    const lists = () =>
      Array.from({ length: 1 + random.int(5) }, () => someOf(random, random.int(size), most))
    const [days, sets, others] = [lists(), lists(), lists().map(list => list.toReversed())]
    const united = [uniteLists(days), uniteSets(sets.map(serialize))]
    const distinct = (...all: Uint32Array[][]) => new Set(all.flat().flatMap(list => [...list])).size
    expect(united.map(union => union.size)).toEqual([distinct(days), distinct(sets)])
    expect(countTogether(united.slice(0, 1), others)).toBe(distinct(days, others))
    expect(countTogether(united)).toBe(distinct(days, sets))
    expect(countTogether(united, others)).toBe(distinct(days, sets, others))
    const few = [others[0]!.subarray(0, 3)]
    expect(countTogether(united, few)).toBe(distinct(days, sets, few))
    expect(countTogether([], others)).toBe(distinct(others))
  }
  expect(countTogether([])).toBe(0)
})

test('distinct visitors: a failed count leaves no state for the next one', () => {
  const [day, list] = [Uint32Array.of(1, 2, 3), Uint32Array.of(3, 4)]
  const failing = new Proxy(list, {
    get: (target, name) => {
      if (name === '1') throw new Error('failed')
      return Reflect.get(target, name)
    },
  })
  const encoded = encodeValues([{ valueId: 1, counts: { ...noCounts(), visitors: 3 }, visitors: day }])
  const sound = { visitors: encoded.visitors, offset: 0, count: 3 }
  const broken = {
    ...sound,
    get visitors(): Buffer {
      throw new Error('failed')
    },
  }
  for (let times = 0; times < 2; times++) {
    expect(() => countTogether([], [day, failing])).toThrow('failed')
    expect(countTogether([], [list])).toBe(2)
    expect(() => uniteDays([sound, broken])).toThrow('failed')
    expect(uniteLists([day]).size).toBe(3)
  }
})

test('distinct visitors: a large set holds no more memory than its reported bytes', () => {
  const union = uniteSets([serialize(Uint32Array.of(1, 2, 3))])
  expect('bytes' in union && union.bytes.buffer.byteLength).toBe('bytes' in union && union.bytes.length)
})

test('text order: texts are sorted by their bytes, for all characters', () => {
  const random = randomFrom(3)
  const characters = [...'aA/é😀', '', ...'\u{7f}\u{80}\u{d7ff}\u{e000}\u{ffff}\u{10000}']
  const texts = Array.from({ length: 200 }, () =>
    Array.from({ length: random.int(5) }, () => characters[random.int(characters.length)]).join(''),
  )
  const byBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  expect(texts.toSorted(compareTexts)).toEqual(byBytes)
})
