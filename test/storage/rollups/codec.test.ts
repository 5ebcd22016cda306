import { expect, test } from 'vitest'
import {
  COLUMNS,
  type Counts,
  decodeColumns,
  decodeValues,
  decodeVisitors,
  encodeValues,
  noCounts,
  type RolledUpValue,
} from '../../../src/storage/rollups/daily/codec.ts'

/** Values just below, at and above each boundary where the encoding needs one more byte. */
const BITS = [7, 14, 21, 28, 31, 32, 35, 42, 49]
const EDGES = [0, 1, ...BITS.flatMap(bits => [2 ** bits - 1, 2 ** bits, 2 ** bits + 1])]
const LARGEST = [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER, 2 ** 53, 3 * 2 ** 53, 2 ** 63]

function rolledUp(valueId: number, fields: Partial<Counts>, visitors: number[] = []): RolledUpValue {
  const counts = { ...noCounts(), ...fields, visitors: visitors.length }
  return { valueId, counts, visitors: Uint32Array.from(visitors) }
}

function roundTrip(values: RolledUpValue[]): RolledUpValue[] {
  const { counts, visitors } = encodeValues(values)
  return decodeValues(counts, visitors)
}

test('every number is decoded exactly, in every column', () => {
  expect(roundTrip([])).toEqual([])
  for (const column of COLUMNS.filter(column => column !== 'visitors')) {
    const values = [...EDGES, ...LARGEST].map((count, index) => rolledUp(index, { [column]: count }))
    expect(roundTrip(values)).toEqual(values)
  }
  const errors = [...EDGES, ...LARGEST].map((firstAt, index) => ({ ...rolledUp(index, {}), firstAt }))
  expect(roundTrip(errors)).toEqual(errors)
})

test('value ids and visitor numbers up to the largest are decoded exactly', () => {
  const largest = 2 ** 32 - 1
  const values = [rolledUp(0, {}, [0, 1, 127, 128, 2 ** 31, largest]), rolledUp(2 ** 31 - 1, {}, [largest])]
  expect(roundTrip(values)).toEqual(values)
})

test('values in any order are decoded by value id, each with its own visitors, which can be decoded alone', () => {
  const values = [rolledUp(700, { hits: 1 }, [4, 70_000]), rolledUp(3, { hits: 2 }), rolledUp(5, {}, [0, 4])]
  const { counts, visitors } = encodeValues(values)
  expect(decodeValues(counts, visitors)).toEqual([values[1], values[2], values[0]])
  const { valueIds, columns, offsets } = decodeColumns(counts)
  expect([...valueIds]).toEqual([3, 5, 700])
  for (const [index, expected] of [[], [0, 4], [4, 70_000]].entries()) {
    const count = columns.visitors![index]!
    const alone = new Uint32Array(count)
    expect(decodeVisitors({ visitors, offset: offsets[index]!, count }, alone)).toBe(expected.length)
    expect([...alone]).toEqual(expected)
  }
})

test.each([Number.NaN, undefined as never, -1, 1.5, Number.POSITIVE_INFINITY])(
  'encoding refuses %s',
  wrong => {
    const sound = rolledUp(2, { hits: 1 }, [3])
    for (const value of [rolledUp(wrong, {}), rolledUp(3, { hits: wrong })]) {
      expect(() => encodeValues([sound, value])).toThrow(/cannot hold the number/)
    }
  },
)

test('a column that counts nothing takes one byte', () => {
  const { counts } = encodeValues([rolledUp(1, { hits: 5 }), rolledUp(2, { hits: 6 })])
  // Size, two value ids, two visitor counts, one byte for each column and the first time, and two numbers for the only column with counts.
  expect(counts.length).toBe(1 + 2 + 2 + COLUMNS.length + 1 + 2)
})

test('a rollup that was made without the later columns has sessions of unknown duration', () => {
  const { counts, visitors } = encodeValues([rolledUp(1, { hits: 5, sessions: 3 }), rolledUp(2, { hits: 6 })])
  const later = COLUMNS.length - COLUMNS.indexOf('durationMs') + 1
  const old = counts.subarray(0, counts.length - later)
  expect(decodeValues(old, visitors)).toEqual([
    rolledUp(1, { hits: 5, sessions: 3, untimedSessions: 3 }),
    rolledUp(2, { hits: 6 }),
  ])
})
