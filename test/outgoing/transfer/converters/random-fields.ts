import fc from 'fast-check'
import type { Converter, ConvertOptions } from '../../../../src/outgoing/transfer/converters/converter.ts'
import { convert } from './converted.ts'

/** Values that rows of other products have, and those that they should not have. */
const odd = [
  ...['', ' ', '0', '-1', '1e400', 'NaN', 'null', 'true', '[]', '{}', "['a','b']", '\u0000', '\ud800'],
  ...['/', '//', '/a?utm_source=x&utm_source=y#z', 'https://', 'http://[::1]:80/x', 'javascript:alert(1)'],
  ...['?q=%zz', '2024-01-31T12:00:00Z', '2024-03-31 02:30:00', '1706702400', '1706702400000000'],
  ...['9999-12-31', '1960-01-01', 'error', 'payment', 'pageview', '__proto__', 'outbound', 'US', 'US-CA'],
  ...['1280,768,1', '1280x768', '💶'.repeat(300), 'x'.repeat(3_000), 'ü'.repeat(3_000), 'a\nb"c,d'],
]

/** Any text. */
export const anyText = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'binary', maxLength: 40 }))

/** Any value of JSON. */
const anyValue = fc.oneof(
  anyText,
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 3 }),
)

/**
 * Rows with the columns of a typical one; about half of the values are replaced.
 * @param typical a row that can be carried over
 */
export function randomRows(...typical: Record<string, string>[]): fc.Arbitrary<Record<string, string>[]> {
  return fc.array(
    fc.constantFrom(...typical).chain(row => fc.record(mapValues(row, value => mostly(value, anyText)))),
    { maxLength: 4 },
  )
}

/** Objects like a typical one, with about half of the values replaced, also deep inside. */
export function randomObjects(...typical: Record<string, unknown>[]): fc.Arbitrary<unknown[]> {
  return fc.array(fc.constantFrom(...typical).chain(like), { maxLength: 4 })
}

function like(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return mostly(fc.tuple(...value.map(like)), anyValue)
  if (typeof value !== 'object' || value === null) return mostly(value, anyValue)
  const whole = fc.record(mapValues(value as Record<string, unknown>, like), { requiredKeys: [] })
  return fc.oneof({ weight: 9, arbitrary: whole }, { weight: 1, arbitrary: anyValue })
}

function mostly(value: unknown, other: fc.Arbitrary<unknown>): fc.Arbitrary<never> {
  const own = value instanceof fc.Arbitrary ? value : fc.constant(value)
  return fc.oneof({ weight: 3, arbitrary: own }, { weight: 1, arbitrary: other }) as fc.Arbitrary<never>
}

function mapValues<Value>(row: Record<string, Value>, map: (value: Value) => fc.Arbitrary<unknown>) {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, map(value)])) as Record<
    string,
    fc.Arbitrary<never>
  >
}

/** Expects that the import takes every line of random files. */
export const expectTaken = (
  converter: Converter,
  files: fc.Arbitrary<string>,
  options: Partial<ConvertOptions> = {},
) =>
  fc.assert(
    fc.asyncProperty(files, async file => {
      await convert(converter, file, options)
    }),
    { numRuns: 60, seed: 17 },
  )
