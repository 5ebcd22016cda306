import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Subscription } from '../../../src/money/processor/subscription-object.ts'
import {
  decimal,
  divide,
  type Fixed,
  multiply,
  ONE,
  whole,
} from '../../../src/money/subscriptions/fixed-point.ts'
import { type Definitions, mrrOf } from '../../../src/money/subscriptions/mrr.ts'
import { runs, seeded } from '../../support/runs.ts'
import { coupon, discount, item, type Json, price, subscription } from '../../support/stripe.ts'

// The expected MRR is computed a second time with fractions of integers, which lose no precision.

type Fraction = readonly [over: bigint, under: bigint]

const times = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]

/** Reads a text with at most 12 decimals. */
function fraction(text: string): Fraction {
  const [digits = '', decimals = ''] = text.split('.')
  return [BigInt(digits + decimals), 10n ** BigInt(decimals.length)]
}

function roundHalfEven([over, under]: Fraction): number {
  const [below, rest] = [over / under, over % under]
  const isUp = rest * 2n > under || (rest * 2n === under && below % 2n === 1n)
  return Number(isUp ? below + 1n : below)
}

const MONTHS: Record<string, Fraction> = {
  day: [365n, 12n],
  week: [52n, 12n],
  month: [1n, 1n],
  year: [1n, 12n],
}

interface Row {
  amount: string
  quantity: number
  interval: string
  count: number
  percents: string[]
  taxes: string[]
}

function exactly(rows: Row[], percents: string[]): number {
  const left = (percent: string): Fraction => {
    const [over, under] = fraction(percent)
    return [100n * under - over, 100n * under]
  }
  const sum = rows.reduce<Fraction>(
    (total, { amount, quantity, interval, count, percents: own, taxes }) => {
      let part = times(times(fraction(amount), [BigInt(quantity), BigInt(count)]), MONTHS[interval]!)
      for (const percent of [...own, ...percents]) part = times(part, left(percent))
      const [over, under] = taxes.map(fraction).reduce(plus, [100n, 1n])
      return plus(total, times(part, [100n * under, over]))
    },
    [0n, 1n],
  )
  return roundHalfEven(sum)
}

const NOTHING: Definitions = { discounts: new Map(), coupons: new Map(), prices: new Map() }

const shares = (percents: string[]) => percents.map(percent_off => ({ percent_off }))

function counted(rows: Row[], coupons: Json[]): number {
  const off = (all: Json[]) => all.map(each => discount(coupon(each)))
  const items = rows.map(({ amount, quantity, interval, count, percents: own, taxes }): Json => {
    const recurring = { interval, interval_count: count }
    const tax_rates = taxes.map(percentage => ({ object: 'tax_rate', inclusive: true, percentage }))
    const given = price(0, { unit_amount: null, unit_amount_decimal: amount, recurring })
    return item(given, { quantity, discounts: off(shares(own)), tax_rates })
  })
  const { state } = Subscription.parse(subscription({ items, discounts: off(coupons) }))
  return mrrOf(state.items, state.discounts!, state.currency, NOTHING)
}

/** Texts with up to `decimals` decimals. */
const Decimals = (most: number, decimals: number) =>
  fc
    .tuple(fc.nat(most), fc.nat(10 ** decimals - 1), fc.nat(decimals))
    .map(([over, under, places]) =>
      places === 0 ? String(over) : `${over}.${String(under).padStart(decimals, '0').slice(0, places)}`,
    )

const Percents = (maxLength: number) => fc.array(Decimals(99, 4), { maxLength })

const Rows = fc.array(
  fc.record({
    amount: fc.oneof(fc.nat(100_000).map(String), Decimals(1_000_000, 12)),
    quantity: fc.oneof(fc.nat(12), fc.nat(100_000)),
    interval: fc.constantFrom('day', 'week', 'month', 'year'),
    count: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1095 })),
    percents: Percents(3),
    taxes: fc.array(Decimals(30, 4), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 8 },
)

test('MRR: prices, periods, quantities, percentages and taxes give the MRR of exact fractions', () => {
  fc.assert(
    fc.property(Rows, Percents(5), (rows, percents) => {
      expect(counted(rows, shares(percents))).toBe(exactly(rows, percents))
    }),
    { seed: seeded(12), numRuns: runs(1500) },
  )
})

/** Returns the MRR of parts with daily periods after coupons of fixed amounts, which apply once per shortest period. */
function lessAmounts(rows: Row[], amounts: number[]): number {
  const sum = rows
    .map(({ amount, quantity, count }) =>
      times(times(fraction(amount), [BigInt(quantity), BigInt(count)]), MONTHS.day!),
    )
    .reduce(plus)
  const often = times([1n, BigInt(Math.min(...rows.map(({ count }) => count)))], MONTHS.day!)
  const off = amounts.reduce((all, amount) => all + amount, 0)
  const left = plus(sum, times([BigInt(-off), 1n], often))
  return left[0] < 0n ? 0 : roundHalfEven(left)
}

test('MRR: 20 coupons of fixed amounts on 40 items of different periods give the exact MRR', () => {
  const Days = fc.record({
    amounts: fc.array(Decimals(100_000, 12), { minLength: 40, maxLength: 40 }),
    first: fc.integer({ min: 1, max: 1000 }),
    off: fc.array(fc.integer({ min: 1, max: 2_000_000_000 }), { minLength: 20, maxLength: 20 }),
  })
  fc.assert(
    fc.property(Days, ({ amounts, first, off }) => {
      const of = { quantity: 1_000_000, interval: 'day', percents: [], taxes: [] }
      const rows = amounts.map((amount, index): Row => ({ ...of, amount, count: first + index }))
      const coupons = off.map(amount_off => ({ amount_off, currency: 'usd' }))
      expect(counted(rows, coupons)).toBe(lessAmounts(rows, off))
    }),
    { seed: seeded(14), numRuns: 20 },
  )
})

test('MRR: halves are rounded to even, whatever parts they consist of', () => {
  // Shares n/12 of several parts, whose sum is an integer and a half.
  const Halves = fc.tuple(
    fc.array(fc.nat(10_000), { minLength: 1, maxLength: 8 }),
    fc.constantFrom(1, 2, 3, 7, 9, 11, 13),
  )
  fc.assert(
    fc.property(Halves, ([amounts, count]) => {
      const of = { quantity: count, interval: 'year', count, percents: [], taxes: [] }
      const row = (amount: number): Row => ({ ...of, amount: String(amount) })
      const rest = amounts.reduce((sum, amount) => sum + amount, 0) % 12
      const rows = [...amounts, (18 - rest) % 12].map(row)
      const sum = rows.reduce((all, { amount }) => all + Number(amount), 0)
      expect(sum % 12).toBe(6)
      expect(counted(rows, []) % 2).toBe(0)
      expect(counted(rows, [])).toBe(exactly(rows, []))
    }),
    { seed: seeded(13), numRuns: runs(500) },
  )
})

const digits = (value: Fixed) => value.toString().replace('-', '').length

test('fixed-point numbers: repeated multiplication and division does not make them longer', () => {
  const share = divide(whole(99_999_999), whole(100_000_007))
  const limit = digits(whole(10n ** 20n))
  let value = decimal('99999999999999999999.123456789012')
  for (let step = 0; step < 10_000; step++) {
    value = multiply(value, share)
    expect(digits(value)).toBeLessThanOrEqual(limit)
  }
  expect(digits(divide(ONE, whole(3)))).toBeLessThanOrEqual(digits(ONE))
})
