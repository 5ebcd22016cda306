import { describe, expect, test } from 'vitest'
import { type ChargeSeen, type RefundSeen, refundedOf } from '../../../src/revenue/sales/refunds.ts'

describe('refunds', () => {
  const sumOf = (byCharge: Map<string, number>) =>
    [...byCharge.values()].reduce((all, minor) => all + minor, 0)
  const charge = (at: number, refundedMinor: number): ChargeSeen => ({ chargeId: 'ch', at, refundedMinor })
  const refund = (
    refundId: string,
    at: number,
    amountMinor: number,
    rest: Partial<RefundSeen> = {},
  ): RefundSeen => ({
    refundId,
    chargeId: 'ch',
    at,
    createdAt: at,
    amountMinor,
    status: 'succeeded',
    ...rest,
  })

  test.each<[string, ChargeSeen[], RefundSeen[], number]>([
    ['nothing', [charge(1, 0)], [], 0],
    ['the newest event of the charge', [charge(2, 500), charge(1, 200)], [], 500],
    ['refunds alone', [], [refund('a', 1, 200), refund('b', 2, 300)], 500],
    ['a pending refund', [], [refund('a', 1, 200, { status: 'pending' })], 200],
    [
      'a refund after the newest event of the charge',
      [charge(1, 200)],
      [refund('a', 1, 200), refund('b', 2, 300)],
      500,
    ],
    [
      'a refund that failed after that event',
      [charge(2, 500)],
      [refund('b', 3, 300, { createdAt: 2, status: 'failed' })],
      200,
    ],
    [
      'a refund that had failed before that event',
      [charge(4, 200)],
      [refund('b', 3, 300, { createdAt: 2, status: 'failed' })],
      200,
    ],
    [
      'a refund that was reported twice',
      [],
      [refund('a', 1, 200), refund('a', 1, 200, { status: 'failed' })],
      0,
    ],
    ['several charges', [charge(1, 200), { ...charge(1, 50), chargeId: 'other' }], [], 250],
  ])('the refunded amount is computed from %s', (_what, charges, refunds, expected) => {
    expect(sumOf(refundedOf(charges, refunds))).toBe(expected)
    expect(sumOf(refundedOf([...charges].reverse(), [...refunds].reverse()))).toBe(expected)
  })
})
