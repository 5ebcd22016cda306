import { expect, test } from 'vitest'
import { readError, readRevenue } from '../../../src/ingestion/edge/reported.ts'

const none = (given: unknown): [unknown] => [given]

test.each<[unknown, string?, string?]>([
  [{ amount: 49.99, currency: 'USD' }, '4999', 'USD'],
  [{ amount: 1.005, currency: 'usd' }, '101', 'USD'],
  [{ amount: 0.1 + 0.2, currency: 'EUR' }, '30', 'EUR'],
  // Which binary fractions miss.
  [{ amount: 0.29, currency: 'USD' }, '29', 'USD'],
  [{ amount: 1.15, currency: 'USD' }, '115', 'USD'],
  [{ amount: 4.35, currency: 'USD' }, '435', 'USD'],
  [{ amount: 0.125, currency: 'USD' }, '13', 'USD'],
  [{ amount: 2.5, currency: 'JPY' }, '3', 'JPY'],
  [{ amount: 500, currency: 'JPY' }, '500', 'JPY'],
  [{ amount: 500.5, currency: 'JPY' }, '501', 'JPY'],
  [{ amount: 1.2345, currency: 'KWD' }, '1235', 'KWD'],
  [{ amount: 1e21, currency: 'JPY' }],
  [{ amount: 1e12, currency: 'JPY' }, '1000000000000', 'JPY'],
  [{ amount: 1e12 + 1, currency: 'JPY' }],
  [{ amount: 1e10, currency: 'USD' }, '1000000000000', 'USD'],
  [{ amount: 1e10 + 0.01, currency: 'USD' }],
  [{ amount: 1e9, currency: 'KWD' }, '1000000000000', 'KWD'],
  [{ amount: 90071992547409.9, currency: 'USD' }],
  [{ amount: 1e-7, currency: 'USD' }],
  [{ amount: 0, currency: 'USD' }],
  [{ amount: -1, currency: 'USD' }],
  [{ amount: Number.POSITIVE_INFINITY, currency: 'USD' }],
  [{ amount: '49.99', currency: 'USD' }],
  [{ amount: 1, currency: 'XXZ' }],
  [{ amount: 1, currency: 'US' }],
  ...[{ amount: 1 }, { currency: 'USD' }, 49.99, '5 USD', true, null, {}, [], [5, 'USD']].map(none),
  ...[840, '€€€', 'USDT', null].map(currency => none({ amount: 5, currency })),
])('reported revenue: %j becomes %s %s', (given, amountMinor, currency) => {
  expect(readRevenue(given)).toEqual(amountMinor === undefined ? undefined : { amountMinor, currency })
})

test('reported errors: fields missing in the error object are read from properties of the same names', () => {
  const properties = { message: 'from properties', stack: 'at x', line_number: '7', other: 'kept elsewhere' }
  expect(readError({ message: 'from the object', column_number: 3 }, properties)).toEqual({
    message: 'from the object',
    stack: 'at x',
    lineNumber: '7',
    columnNumber: '3',
  })
})

test.each([['text'], [[]], [{ message: {} }], [{ name: 1 }], [{ line_number: true }]])(
  'reported errors: an object of the wrong shape is dropped: %j',
  given => {
    expect(readError(given, { message: 'kept' })).toEqual({ message: 'kept' })
  },
)
