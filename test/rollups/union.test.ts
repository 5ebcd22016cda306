import { expect, test } from 'vitest'
import { encodeValues, noCounts } from '../../src/rollups/folds/codec.ts'
import { compareTexts } from '../../src/rollups/folds/texts.ts'
import { countTogether, type Union, uniteEncoded, uniteSets } from '../../src/rollups/folds/union.ts'
import { VisitorSet } from '../../src/rollups/visitor-set.ts'
import { type Random, randomFrom } from '../support/random-values.ts'

/** Some of the numbers up to `most`. */
const someOf = (random: Random, size: number, most: number) =>
  Uint32Array.from(new Set(Array.from({ length: size }, () => random.int(most)))).sort()

function uniteDays(days: Uint32Array[]): Union {
  return uniteEncoded(
    days.map(visitors => {
      const counts = { ...noCounts(), visitors: visitors.length }
      const encoded = encodeValues([{ textNo: 1, counts, visitors }])
      return { visitors: encoded.visitors, offset: 0, count: visitors.length }
    }),
  )
}

function serialize(numbers: Uint32Array): Buffer {
  const set = VisitorSet.from()
  set.add(numbers)
  const bytes = set.serialize()
  set.free()
  return bytes
}

test.each([
  ['a few', 50, 400],
  ['many', 3_000, 40_000],
  ['many in few numbers', 3_000, 5_000],
])('%s visitors of several days, in whatever form, count once', (_, size, most) => {
  const random = randomFrom(size + most)
  for (let round = 0; round < 20; round++) {
    const lists = () =>
      Array.from({ length: 1 + random.int(5) }, () => someOf(random, random.int(size), most))
    const [days, sets, others] = [lists(), lists(), lists().map(list => list.toReversed())]
    const united = [uniteDays(days), uniteSets(sets.map(serialize))]
    const distinct = (...all: Uint32Array[][]) => new Set(all.flat().flatMap(list => [...list])).size
    expect(united.map(union => union.size)).toEqual([distinct(days), distinct(sets)])
    expect(countTogether(united.slice(0, 1), others)).toBe(distinct(days, others))
    expect(countTogether(united)).toBe(distinct(days, sets))
    expect(countTogether(united, others)).toBe(distinct(days, sets, others))
    expect(countTogether([], others)).toBe(distinct(others))
  }
  expect(countTogether([])).toBe(0)
})

test('texts stand in the order of their bytes, whatever characters they have', () => {
  const random = randomFrom(3)
  const characters = [
    '',
    'a',
    'A',
    '/',
    'é',
    '\u{7f}',
    '\u{80}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{10000}',
    '😀',
  ]
  const texts = Array.from({ length: 200 }, () =>
    Array.from({ length: random.int(5) }, () => characters[random.int(characters.length)]).join(''),
  )
  const byBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  expect(texts.toSorted(compareTexts)).toEqual(byBytes)
})
