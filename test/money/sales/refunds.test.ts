import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileId, pastId, UNLINKED } from '../../../src/money/processor/event.ts'
import { type AnyFact, withoutReported } from '../../../src/money/processor/facts.ts'
import {
  type ChargeSeen,
  type RefundSeen,
  refundedOf,
  spreadRefunds,
} from '../../../src/money/sales/refunds.ts'
import { transfersIn } from '../../../src/money/sales/sale.ts'

const sumOf = (byCharge: Map<string, number>) => [...byCharge.values()].reduce((all, minor) => all + minor, 0)
const charge = (at: number, refundedMinor: number): ChargeSeen => ({ chargeId: 'ch', at, refundedMinor })
const refund = (refundId: string, at: number, amountMinor: number): RefundSeen => {
  return { refundId, chargeId: 'ch', at, createdAt: at, amountMinor, status: 'succeeded' }
}
const [small, large] = [refund('a', 1, 200), refund('b', 2, 300)]
const failed = { ...large, at: 3, status: 'failed' }

test.each<[string, ChargeSeen[], RefundSeen[], number]>([
  ['nothing', [charge(1, 0)], [], 0],
  ['the newest event of the charge', [charge(2, 500), charge(1, 200)], [], 500],
  ['refunds alone', [], [small, large], 500],
  ['a pending refund', [], [{ ...small, status: 'pending' }], 200],
  ['a refund after the newest event of the charge', [charge(1, 200)], [small, large], 500],
  ['a refund that failed after that event', [charge(2, 500)], [failed], 200],
  ['a refund that had failed before that event', [charge(4, 200)], [failed], 200],
  ['a refund that was reported twice', [], [small, { ...small, status: 'failed' }], 0],
  ['a canceled refund', [], [small, { ...small, status: 'canceled' }], 0],
  ['several charges', [charge(1, 200), { ...charge(1, 50), chargeId: 'other' }], [], 250],
])('refunds: the refunded amount is computed from %s', (_what, charges, refunds, expected) => {
  expect(sumOf(refundedOf(charges, refunds))).toBe(expected)
  expect(sumOf(refundedOf([...charges].reverse(), [...refunds].reverse()))).toBe(expected)
})

test.each(['in_1', 'pi_1', 'order-1'])(
  'a refund of %s that the processor and a file report counts once, up to the amount',
  id => {
    const ids = [id, 'ch_1']
    const linked = { ...UNLINKED, eventId: 'evt_1', kind: 'link', at: new Date(0), objectId: id }
    const link = { ...linked, saleIds: ids, body: null }
    const transfers = transfersIn({ ids, facts: [link as AnyFact] })
    const amounts = fc.integer({ min: 0, max: 1_500 })
    fc.assert(
      fc.property(amounts, amounts, (charged, said) => {
        const payments = [{ transactionId: id, amountMinor: 1_000 }]
        const refunds = { byCharge: new Map([['ch_1', charged]]), byPayment: new Map([[id, said]]) }
        const refunded = spreadRefunds([{ ids, payments }], transfers, refunds).get(id) ?? 0
        expect(refunded).toBe(Math.min(1_000, Math.max(charged, said)))
      }),
    )
  },
)

test('sales: an event is believed before the API, that before a file, and only what was paid counts', () => {
  const bill = { ...UNLINKED, kind: 'invoice', objectId: 'in_1', at: new Date(0) }
  const fact = (eventId: string, amountMinor: number) =>
    ({ ...bill, eventId, body: { amountMinor } }) as unknown as AnyFact
  const [told, filed] = [fact('evt_1', 3), fact(fileId('in_1'), 1)]
  const [read, unpaid] = [2, 0].map(amount => fact(pastId('in_1'), amount)) as [AnyFact, AnyFact]
  expect(withoutReported([filed, read, told])).toEqual([told])
  expect(withoutReported([filed, read])).toEqual([read])
  expect(withoutReported([filed, unpaid])).toEqual([filed, unpaid])
})
