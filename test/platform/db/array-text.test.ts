import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrayText, timeText } from '../../../src/platform/db/array-text.ts'
import { dbOf, useDatabase } from '../../support/database.ts'

const db = dbOf(useDatabase())

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map(value => value.replaceAll('\0', '').toWellFormed()),
  fc.constantFrom('', 'null', 'NULL', '{}', '{"a"}', ',', '"', '\\', '\\n', '\n\t', '\u2028', ' a ', "it's"),
)
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })

test('array text: PostgreSQL reads the written values, except nulls at the end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(nullable(text)),
      fc.array(nullable(fc.maxSafeInteger())),
      async (texts, numbers) => {
        const [row] = await db.unsafe<{ texts: unknown[]; numbers: unknown[] }[]>(
          'select to_json($1::text[]) as texts, to_json($2::bigint[]) as numbers',
          [arrayText(texts), arrayText(numbers)],
        )
        expect(row!.texts).toEqual(withoutLastNulls(texts))
        expect(row!.numbers).toEqual(withoutLastNulls(numbers))
      },
    ),
    { numRuns: 300 },
  )
})

test('array text: columns of different lengths become rows that are filled up with nulls', async () => {
  const columns = [[1, 2, 3].map(String), ['a', null, null], [null, null, null]].map(arrayText)
  const statement = 'select * from unnest($1::text[], $2::text[], $3::text[]) as row (a, b, c)'
  const rows = await db.unsafe(statement, columns)
  const read = rows.map(({ a, b, c }) => [a, b, c])
  expect(read).toEqual(['1', '2', '3'].map(no => [no, no === '1' ? 'a' : null, null]))
})

test('array text: a time has the format of toISOString', () => {
  const time = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2200, 0) })
  fc.assert(
    fc.property(time, fc.nat(2_000), (ms, later) => {
      for (const at of [ms, ms + later]) expect(timeText(at)).toBe(new Date(at).toISOString())
    }),
  )
  expect(timeText(-1)).toBe('1969-12-31T23:59:59.999Z')
  expect(timeText(undefined)).toBeNull()
})

function withoutLastNulls(values: unknown[]): unknown[] {
  const end = values.findLastIndex(value => value !== null)
  return values.slice(0, end + 1)
}
