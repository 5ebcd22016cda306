import { expect, test } from 'vitest'
import { axisRoom, GAP } from '../../src/web/chart/scales.ts'
import { moneyFormat } from '../../src/web/format/money.ts'

const widthOf = (text: string) => 7 * text.length
const room = (locale: string, currency: string, values: number[]) =>
  axisRoom([{ name: 'Revenue', values, tone: 'money', format: moneyFormat(locale, currency).money }], widthOf)

test('chart: the axis has room for its widest number', () => {
  expect(room('en-GB', 'USD', [0, 100])).toBe(56)
  expect(room('de-DE', 'USD', [0, 1_500_000])).toBe(widthOf('15.000 $') + 2 * GAP)
  expect(room('de-CH', 'XOF', [0, 90_000])).toBeGreaterThan(100)
})
