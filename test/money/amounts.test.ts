import { expect, test } from 'vitest'
import { moneyText } from '../../src/money/money-text.ts'
import { capped } from '../../src/platform/schema/amounts.ts'
import { presentMoney } from '../../src/stats/metrics/money-totals.ts'
import type { MovementTotals, RevenueTotals } from '../../src/storage/rollups/protocol.ts'

const nothing: RevenueTotals = { recorded: 0, payments: 0, revenue: 0n, recurring: 0n, newCustomers: 0 }
const still: MovementTotals = { mrr: 0n, mrrAtEnd: 0n }
const period = (revenue: Partial<RevenueTotals> = {}, movements: Partial<MovementTotals> = {}) => ({
  revenue: { ...nothing, ...revenue },
  movements: { ...still, ...movements },
})

test.each([
  [4999, 'USD', '49.99 USD'],
  [-5, 'EUR', '-0.05 EUR'],
  [0, 'USD', '0.00 USD'],
  [1200, 'JPY', '1200 JPY'],
  [1234, 'KWD', '1.234 KWD'],
  [Number.MAX_SAFE_INTEGER, 'USD', '90071992547409.91 USD'],
])('amounts in texts: %i minor units of %s keep every digit', (amount, currency, text) => {
  expect(moneyText(amount, currency)).toBe(text)
})

test.each([
  // visitors, new customers, MRR at the end, conversion rate, MRR per visitor
  [0, 3, 500n, 0, 0],
  [3, 1, 500n, 33.3, 167],
  [2_000, 1, 1_000n, 0.1, 1],
  [2_000, 1, 999n, 0.1, 0],
  [4_000, 1, -2_000n, 0, -1],
  [3, 2, -500n, 66.7, -167],
])(
  'overview money: rates for %i visitors are rounded',
  (visitors, newCustomers, mrrAtEnd, conversion_rate, mrr_per_visitor) => {
    const totals = { isConnected: true, periods: [period({ newCustomers }, { mrrAtEnd })] }
    expect(presentMoney(totals, [visitors])[0]).toMatchObject({ conversion_rate, mrr_per_visitor })
  },
)

test('overview money: MRR per visitor beyond exact numbers is the largest of them', () => {
  const periods = [period({ newCustomers: 7 }, { mrrAtEnd: 9_007_199_254_740_993n * 3n })]
  const [money] = presentMoney({ isConnected: true, periods }, [1])
  expect(money).toMatchObject({ mrr_per_visitor: Number.MAX_SAFE_INTEGER })
})

test('capped amounts: amounts beyond exact numbers are the nearest of them, others stay', () => {
  for (const amount of [0n, 1n, -1n, 9_007_199_254_740_991n, -9_007_199_254_740_991n])
    expect(BigInt(capped(amount))).toBe(amount)
  for (const amount of [9_007_199_254_740_992n, 9_007_199_254_740_993n, -9_007_199_254_740_992n, 2n ** 80n])
    expect(capped(amount)).toBe(amount < 0n ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER)
})
