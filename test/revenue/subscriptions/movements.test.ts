import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareStates,
  compensate,
  deriveMovements,
  type Movement,
  renewalsOf,
  type State,
  trialOf,
} from '../../../src/revenue/subscriptions/movements.ts'

const state = (at: number, status: string, rest: Partial<State> = {}): State => ({
  at,
  key: `evt_${at}`,
  status,
  currency: 'USD',
  mrr: 100,
  isEnding: false,
  ...rest,
})

const derive = (...states: State[]) => {
  const { movements, lifecycleEvents } = deriveMovements(states)
  return {
    movements: movements.map(({ at, kind, amountMinor }) => `${at} ${kind} ${amountMinor}`),
    lifecycleEvents: lifecycleEvents.map(({ at, name }) => `${at} ${name}`),
  }
}

describe('subscription history', () => {
  test.each<[string, State[], string[], string[]]>([
    ['without states', [], [], []],
    ['that never counted', [state(1, 'incomplete'), state(2, 'incomplete_expired')], [], []],
    ['whose first state is its end', [state(1, 'canceled')], [], []],
    [
      'that is late with a payment',
      [state(1, 'active'), state(2, 'past_due')],
      ['1 start 100'],
      ['1 subscription_started'],
    ],
    [
      'with a trial, then paused, then paid',
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
      'whose end is scheduled when it ends',
      [state(1, 'active', { isEnding: true }), state(2, 'canceled')],
      ['1 start 100', '2 end -100'],
      ['1 subscription_started', '1 subscription_cancel_scheduled', '2 subscription_ended'],
    ],
    [
      'with an unknown status',
      [state(1, 'active'), state(2, 'dormant')],
      ['1 start 100', '2 end -100'],
      ['1 subscription_started', '2 subscription_ended'],
    ],
  ])('movements and lifecycle events of a subscription %s', (_what, states, movements, lifecycleEvents) => {
    expect(derive(...states)).toEqual({ movements, lifecycleEvents })
  })

  test('states are ordered by time, then by status, then by id', () => {
    const states = [
      state(2, 'canceled', { key: 'a' }),
      state(2, 'active', { key: 'c' }),
      state(2, 'active', { key: 'b' }),
      state(2, 'incomplete', { key: 'z' }),
      state(1, 'canceled', { key: 'y' }),
    ]
    expect(states.sort(compareStates).map(({ key }) => key)).toEqual(['y', 'z', 'b', 'c', 'a'])
  })

  test('movements always add up to the current MRR', () => {
    const statuses = ['incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled']
    const lives = fc.array(fc.record({ status: fc.constantFrom(...statuses), mrr: fc.nat(1000) }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(lives, steps => {
        const states = steps.map(({ status, mrr }, at) => state(at, status, { mrr }))
        const sum = deriveMovements(states).movements.reduce(
          (total, { amountMinor }) => total + amountMinor,
          0,
        )
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

  test('a compensating movement has the kind and time of the movement that it corrects', () => {
    const recorded = [movement(1, 'start', 100), movement(3, 'upgrade', 50)]
    const wanted = [movement(1, 'start', 100), movement(2, 'upgrade', 20), movement(3, 'upgrade', 30)]
    expect(compensate(recorded, wanted)).toEqual([movement(2, 'upgrade', 20), movement(3, 'upgrade', -20)])
  })

  test('a movement beyond exact numbers is refused, because it could not be read again', () => {
    const wanted = [movement(1, 'upgrade', 2 ** 52), movement(1, 'upgrade', 2 ** 52)]
    expect(() => compensate([], wanted)).toThrow(RangeError)
  })

  test('compensating movements turn any ledger into the wanted one, and then no more are needed', () => {
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

describe('renewals', () => {
  const paid = (id: string, paidAt: number, reason: string | null) => ({ id, paidAt, reason })
  const ids = (invoices: ReturnType<typeof paid>[], ...states: State[]) =>
    renewalsOf(invoices, trialOf(states)).map(({ id }) => id)
  const tried = [state(1, 'trialing'), state(5, 'active')]

  test('an invoice with the reason subscription_cycle is a renewal', () => {
    const invoices = [
      paid('b', 2, 'subscription_cycle'),
      paid('a', 1, 'subscription_create'),
      paid('c', 3, 'subscription_update'),
      paid('d', 4, 'manual'),
    ]
    expect(ids(invoices)).toEqual(['b'])
  })

  test('the payment that ends a trial is no renewal', () => {
    const cycles = [paid('a', 5, 'subscription_cycle'), paid('b', 6, 'subscription_cycle')]
    expect(ids(cycles, ...tried)).toEqual(['b'])
    expect(ids(cycles)).toEqual(['a', 'b'])
  })

  test.each<[string, ReturnType<typeof paid>[], string[]]>([
    ['a fee for setting up', [paid('a', 1, 'subscription_create'), paid('b', 6, 'subscription_cycle')], []],
    [
      'a fee one second before the trial',
      [paid('a', 0, 'subscription_create'), paid('b', 6, 'subscription_cycle')],
      [],
    ],
    ['a one-off invoice', [paid('a', 3, 'manual'), paid('b', 6, 'subscription_cycle')], []],
    [
      'a payment that ended the trial early',
      [paid('a', 5, 'subscription_update'), paid('b', 9, 'subscription_cycle')],
      ['b'],
    ],
    ['a fee, without reasons', [paid('a', 1, null), paid('b', 6, null), paid('c', 9, null)], ['c']],
    ['nothing, without reasons', [paid('b', 6, null), paid('c', 9, null)], ['c']],
  ])('a renewal is distinguished from the end of a trial after %s', (_what, invoices, wanted) => {
    expect(ids(invoices, ...tried)).toEqual(wanted)
  })

  test.each<[string, State[]]>([
    ['it counted before', [state(1, 'active'), state(5, 'trialing'), state(8, 'active')]],
    ['nothing before is known', [state(5, 'trialing'), state(8, 'active')]],
  ])(
    'a renewal stays one when a trial is granted later, and so does the next, although %s',
    (_what, states) => {
      const cycles = [paid('a', 3, 'subscription_cycle'), paid('b', 8, 'subscription_cycle')]
      expect(ids(cycles, ...states)).toEqual(['a', 'b'])
    },
  )

  test('the payment after a trial that was granted to a paying customer is a renewal', () => {
    const states = [state(1, 'active'), state(5, 'trialing'), state(8, 'active')]
    expect(ids([paid('a', 1, 'subscription_create'), paid('b', 8, 'subscription_cycle')], ...states)).toEqual(
      ['b'],
    )
  })

  test.each([null, 'subscription'])('every payment but the first is a renewal for the reason %s', reason => {
    expect(ids([paid('a', 1, reason), paid('b', 2, reason)])).toEqual(['b'])
  })
})
