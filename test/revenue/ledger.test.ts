import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareStates,
  compensate,
  type Movement,
  renewalsOf,
  type State,
  tellLife,
  trialOf,
} from '../../src/revenue/ledger.ts'
import { type ChargeSeen, type RefundSeen, refundedOf } from '../../src/revenue/refunds.ts'

const state = (at: number, status: string, rest: Partial<State> = {}): State => ({
  at,
  key: `evt_${at}`,
  status,
  currency: 'USD',
  mrr: 100,
  isEnding: false,
  ...rest,
})

const told = (...states: State[]) => {
  const { movements, lifecycle_events } = tellLife(states)
  return {
    movements: movements.map(({ at, kind, amountMinor }) => `${at} ${kind} ${amountMinor}`),
    lifecycle_events: lifecycle_events.map(({ at, name }) => `${at} ${name}`),
  }
}

describe('a subscription history', () => {
  test.each<[string, State[], string[], string[]]>([
    ['of nothing', [], [], []],
    ['that never counted', [state(1, 'incomplete'), state(2, 'incomplete_expired')], [], []],
    ['first seen at its end', [state(1, 'canceled')], [], []],
    [
      'that is late with a payment',
      [state(1, 'active'), state(2, 'past_due')],
      ['1 start 100'],
      ['1 subscription_started'],
    ],
    [
      'tried, paused, then paid',
      [state(1, 'trialing'), state(2, 'paused'), state(3, 'active')],
      ['3 start 100'],
      ['1 trial_started', '3 trial_converted'],
    ],
    [
      'that is given a trial while it counts',
      [state(1, 'active'), state(2, 'trialing'), state(3, 'active')],
      ['1 start 100', '2 end -100', '3 start 100'],
      ['1 subscription_started', '2 subscription_ended', '2 trial_started', '3 trial_converted'],
    ],
    [
      'that costs nothing at first',
      [state(1, 'active', { mrr: 0 }), state(2, 'active')],
      ['2 upgrade 100'],
      ['1 subscription_started', '2 subscription_upgraded'],
    ],
    [
      'that comes in another currency',
      [state(1, 'active'), state(2, 'active', { currency: 'EUR', mrr: 90 })],
      ['1 start 100', '2 end -100', '2 start 90'],
      ['1 subscription_started', '2 subscription_ended', '2 subscription_started'],
    ],
    [
      'that is to end when it ends',
      [state(1, 'active', { isEnding: true }), state(2, 'canceled')],
      ['1 start 100', '2 end -100'],
      ['1 subscription_started', '1 subscription_cancel_scheduled', '2 subscription_ended'],
    ],
    [
      'with a status nobody knows',
      [state(1, 'active'), state(2, 'dormant')],
      ['1 start 100', '2 end -100'],
      ['1 subscription_started', '2 subscription_ended'],
    ],
  ])('%s', (_what, states, movements, lifecycle_events) => {
    expect(told(...states)).toEqual({ movements, lifecycle_events })
  })

  test('is ordered by time, then by status, then by id', () => {
    const states = [
      state(2, 'canceled', { key: 'a' }),
      state(2, 'active', { key: 'c' }),
      state(2, 'active', { key: 'b' }),
      state(2, 'incomplete', { key: 'z' }),
      state(1, 'canceled', { key: 'y' }),
    ]
    expect(states.sort(compareStates).map(({ key }) => key)).toEqual(['y', 'z', 'b', 'c', 'a'])
  })

  test('always adds up to the current MRR', () => {
    const statuses = ['incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled']
    const lives = fc.array(fc.record({ status: fc.constantFrom(...statuses), mrr: fc.nat(1000) }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(lives, steps => {
        const states = steps.map(({ status, mrr }, at) => state(at, status, { mrr }))
        const sum = tellLife(states).movements.reduce((total, { amountMinor }) => total + amountMinor, 0)
        const last = states.at(-1)
        expect(sum).toBe(last && ['active', 'past_due'].includes(last.status) ? last.mrr : 0)
      }),
      { seed: 10, numRuns: 300 },
    )
  })
})

describe('compensating movements', () => {
  const movement = (at: number, kind: Movement['kind'], amountMinor: number): Movement => ({
    at,
    kind,
    currency: 'USD',
    amountMinor,
  })

  test('have the kind and time that they correct', () => {
    const recorded = [movement(1, 'start', 100), movement(3, 'upgrade', 50)]
    const wanted = [movement(1, 'start', 100), movement(2, 'upgrade', 20), movement(3, 'upgrade', 30)]
    expect(compensate(recorded, wanted)).toEqual([movement(2, 'upgrade', 20), movement(3, 'upgrade', -20)])
  })

  test('beyond exact numbers are refused, because they could not be read again', () => {
    const wanted = [movement(1, 'upgrade', 2 ** 52), movement(1, 'upgrade', 2 ** 52)]
    expect(() => compensate([], wanted)).toThrow(RangeError)
  })

  test('turn any ledger into the wanted one, after which none are missing', () => {
    const movements = fc.array(
      fc
        .tuple(fc.nat(5), fc.constantFrom('start' as const, 'end' as const, 'upgrade' as const), fc.integer())
        .map(([at, kind, amount]) => movement(at, kind, amount)),
    )
    fc.assert(
      fc.property(movements, movements, (recorded, wanted) => {
        const missing = compensate(recorded, wanted)
        expect(compensate([...recorded, ...missing], wanted)).toEqual([])
      }),
      { seed: 11, numRuns: 200 },
    )
  })
})

describe('a renewal', () => {
  const paid = (id: string, paidAt: number, reason: string | null) => ({ id, paidAt, reason })
  const ids = (invoices: ReturnType<typeof paid>[], ...states: State[]) =>
    renewalsOf(invoices, trialOf(states)).map(({ id }) => id)
  const tried = [state(1, 'trialing'), state(5, 'active')]

  test('is a payment with the reason subscription_cycle', () => {
    const invoices = [
      paid('b', 2, 'subscription_cycle'),
      paid('a', 1, 'subscription_create'),
      paid('c', 3, 'subscription_update'),
      paid('d', 4, 'manual'),
    ]
    expect(ids(invoices)).toEqual(['b'])
  })

  test('is not the payment that ends a trial', () => {
    const cycles = [paid('a', 5, 'subscription_cycle'), paid('b', 6, 'subscription_cycle')]
    expect(ids(cycles, ...tried)).toEqual(['b'])
    expect(ids(cycles)).toEqual(['a', 'b'])
  })

  test.each<[string, ReturnType<typeof paid>[], string[]]>([
    ['a fee for setting up', [paid('a', 1, 'subscription_create'), paid('b', 6, 'subscription_cycle')], []],
    [
      'one told a second early',
      [paid('a', 0, 'subscription_create'), paid('b', 6, 'subscription_cycle')],
      [],
    ],
    ['something one-off', [paid('a', 3, 'manual'), paid('b', 6, 'subscription_cycle')], []],
    [
      'what ended the trial early',
      [paid('a', 5, 'subscription_update'), paid('b', 9, 'subscription_cycle')],
      ['b'],
    ],
    ['a fee, without reasons', [paid('a', 1, null), paid('b', 6, null), paid('c', 9, null)], ['c']],
    ['nothing, without reasons', [paid('b', 6, null), paid('c', 9, null)], ['c']],
  ])('is distinguished from the end of a trial after %s', (_what, invoices, wanted) => {
    expect(ids(invoices, ...tried)).toEqual(wanted)
  })

  test.each<[string, State[]]>([
    ['it counted before', [state(1, 'active'), state(5, 'trialing'), state(8, 'active')]],
    ['nothing before is known', [state(5, 'trialing'), state(8, 'active')]],
  ])(
    'that was paid stays one when a trial is granted later, and so does the next, although %s',
    (_what, states) => {
      const cycles = [paid('a', 3, 'subscription_cycle'), paid('b', 8, 'subscription_cycle')]
      expect(ids(cycles, ...states)).toEqual(['a', 'b'])
    },
  )

  test('is the payment after a trial that a paying customer was granted', () => {
    const states = [state(1, 'active'), state(5, 'trialing'), state(8, 'active')]
    expect(ids([paid('a', 1, 'subscription_create'), paid('b', 8, 'subscription_cycle')], ...states)).toEqual(
      ['b'],
    )
  })

  test.each([null, 'subscription'])('is every payment but the first for the reason %s', reason => {
    expect(ids([paid('a', 1, reason), paid('b', 2, reason)])).toEqual(['b'])
  })
})

describe('the refunded amount is computed from', () => {
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
    ['the newest word on the charge', [charge(2, 500), charge(1, 200)], [], 500],
    ['refunds alone', [], [refund('a', 1, 200), refund('b', 2, 300)], 500],
    ['a refund that is not done', [], [refund('a', 1, 200, { status: 'pending' })], 200],
    ['a refund since', [charge(1, 200)], [refund('a', 1, 200), refund('b', 2, 300)], 500],
    [
      'a refund that failed since',
      [charge(2, 500)],
      [refund('b', 3, 300, { createdAt: 2, status: 'failed' })],
      200,
    ],
    [
      'a refund that had failed before',
      [charge(4, 200)],
      [refund('b', 3, 300, { createdAt: 2, status: 'failed' })],
      200,
    ],
    ['one that was told twice', [], [refund('a', 1, 200), refund('a', 1, 200, { status: 'failed' })], 0],
    ['several charges', [charge(1, 200), { ...charge(1, 50), chargeId: 'other' }], [], 250],
  ])('%s', (_what, charges, refunds, expected) => {
    expect(sumOf(refundedOf(charges, refunds))).toBe(expected)
    expect(sumOf(refundedOf([...charges].reverse(), [...refunds].reverse()))).toBe(expected)
  })
})
