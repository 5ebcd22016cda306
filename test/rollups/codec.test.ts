import { expect, test } from 'vitest'
import {
  COLUMNS,
  type Counts,
  decodeColumns,
  decodeValues,
  encodeValues,
  type FoldedValue,
  noCounts,
} from '../../src/rollups/folds/codec.ts'
import { DistinctCounter } from '../../src/rollups/folds/distinct.ts'
import { type Random, randomFrom } from '../support/random-values.ts'

/** Just below, at and above where a byte more is needed, up to the largest exact number and some after it. */
const EDGES = [
  0,
  1,
  ...[7, 14, 21, 28, 31, 32, 35, 42, 49].flatMap(bits => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]),
]
const LARGEST = [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, 2 ** 53, 3 * 2 ** 53, 2 ** 63]

function folded(textNo: number, fields: Partial<Counts>, visitors: number[] = []): FoldedValue {
  return {
    textNo,
    counts: { ...noCounts(), ...fields, visitors: visitors.length },
    visitors: Uint32Array.from(visitors),
  }
}

function roundTrip(values: FoldedValue[]): FoldedValue[] | null {
  const { counts, visitors } = encodeValues(values)
  return decodeValues(counts, visitors)
}

test('no values are no values', () => {
  expect(roundTrip([])).toEqual([])
})

test('every number comes back as it was, in every column', () => {
  for (const column of COLUMNS.filter(column => column !== 'visitors')) {
    const values = [...EDGES, ...LARGEST].map((count, index) => folded(index, { [column]: count }))
    expect(roundTrip(values)).toEqual(values)
  }
})

test('numbers of texts and visitors come back, the largest too', () => {
  const largest = 2 ** 32 - 1
  const values = [folded(0, {}, [0, 1, 127, 128, 2 ** 31, largest]), folded(2 ** 31 - 1, {}, [largest])]
  expect(roundTrip(values)).toEqual(values)
})

test('many values in any order come back by number, each with its own visitors', () => {
  const random = randomFrom(1)
  for (let round = 0; round < 20; round++) {
    const values = randomValues(random, round * 40)
    const ordered = values.toSorted((a, b) => a.textNo - b.textNo)
    const { counts, visitors } = encodeValues(values)
    expect(decodeValues(counts, visitors)).toEqual(ordered)
    // A reader takes one value's alone.
    const { textNos, columns, offsets } = decodeColumns(counts)
    const index = random.int(Math.max(1, ordered.length))
    if (ordered.length === 0) continue
    expect(textNos[index]).toBe(ordered[index]!.textNo)
    const count = columns.visitors![index]!
    const alone = new Uint32Array(count)
    new DistinctCounter().addEncoded({ visitors, offset: offsets[index]!, count }, alone, 0)
    expect(alone).toEqual(ordered[index]!.visitors)
  }
})

test.each([Number.NaN, undefined as unknown as number, -1, 1.5, Number.POSITIVE_INFINITY])(
  '%s is refused, wherever it stands',
  wrong => {
    const sound = folded(2, { hits: 1 }, [3])
    for (const value of [folded(wrong, {}), folded(3, { hits: wrong })]) {
      expect(() => encodeValues([sound, value])).toThrow(/cannot hold the number/)
    }
  },
)

test('values of which two have one number are none', () => {
  const two = [folded(5, { hits: 1 }), folded(5, { hits: 2 }), folded(9, { hits: 1 })]
  expect(roundTrip(two)).toBeNull()
})

test('a column that counts nothing takes one byte', () => {
  const { counts } = encodeValues([folded(1, { hits: 5 }), folded(2, { hits: 6 })])
  // Size, two text numbers, two sizes of visitors, and of the columns one with two numbers.
  expect(counts.length).toBe(1 + 2 + 2 + COLUMNS.length + 2)
})

function randomValues(random: Random, size: number): FoldedValue[] {
  const numbers = new Set<number>()
  while (numbers.size < size) numbers.add(random.int(2 ** 31))
  return [...numbers].map(textNo => {
    const visitors = Array.from({ length: random.pick([0, 1, 3, 200]) }, () =>
      random.int(2 ** random.int(32)),
    )
    return folded(
      textNo,
      {
        hits: random.int(2 ** 31),
        engagedMs: random.int(2 ** 31) * 2 ** 20,
        lastAt: random.pick([0, 1_773_000_000_123]),
      },
      [...new Set(visitors)].toSorted((a, b) => a - b),
    )
  })
}
