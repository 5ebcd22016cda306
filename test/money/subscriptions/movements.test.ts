import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareStates,
  compensate,
  deriveMovements,
  type Movement,
  renewalsOf,
  type State,
  trialOf,
} from '../../../src/money/subscriptions/movements.ts'
import { runs, seeded } from '../../support/runs.ts'

const state = (at: number, status: string, rest: Partial<State> = {}): State => {
  return { at, key: `evt_${at}`, status, currency: 'USD', mrr: 100, isEnding: false, ...rest }
}

const is = (status: string, rest?: Partial<State>) => (at: number) => state(at, status, rest)
const active = is('active')
const euros = is('active', { currency: 'EUR', mrr: 90 })

// States at the times 1, 2, 3; lifecycle events without `subscription_`.
test.each<[string, ((at: number) => State)[], string, string]>([
  ['without states', [], '', ''],
  ['whose first state is its end', [is('canceled')], '', ''],
  [
    'that is given a trial while it counts',
    [active, is('trialing'), active],
    '1 start 100, 2 end -100, 3 start 100',
    '1 started, 2 ended, 2 trial_started, 3 trial_converted',
  ],
  [
    'that costs nothing at first',
    [is('active', { mrr: 0 }), active],
    '2 upgrade 100',
    '1 started, 2 upgraded',
  ],
  [
    'that comes in another currency',
    [active, euros],
    '1 start 100, 2 end -100, 2 start 90',
    '1 started, 2 ended, 2 started',
  ],
  [
    'whose end is scheduled when it ends',
    [is('active', { isEnding: true }), is('canceled')],
    '1 start 100, 2 end -100',
    '1 started, 1 cancel_scheduled, 2 ended',
  ],
  ['with an unknown status', [active, is('dormant')], '1 start 100, 2 end -100', '1 started, 2 ended'],
])(
  'subscription history: movements and lifecycle events of a subscription %s',
  (_what, states, movements, events) => {
    const derived = deriveMovements(states.map((make, index) => make(index + 1)))
    const moved = derived.movements.map(({ at, kind, amountMinor }) => `${at} ${kind} ${amountMinor}`)
    const told = derived.lifecycleEvents.map(({ at, name }) => `${at} ${name}`)
    const names = events.replaceAll(/(\d) (?!trial)/g, '$1 subscription_')
    expect([moved.join(', '), told.join(', ')]).toEqual([movements, names])
  },
)

test('subscription history: states are ordered by time, then by status, then by id', () => {
  const states = [
    state(2, 'canceled', { key: 'a' }),
    state(2, 'active', { key: 'c' }),
    state(2, 'active', { key: 'b' }),
    state(2, 'incomplete', { key: 'z' }),
    state(1, 'canceled', { key: 'y' }),
  ]
  expect(states.sort(compareStates).map(({ key }) => key)).toEqual(['y', 'z', 'b', 'c', 'a'])
})

test('subscription history: movements always add up to the current MRR', () => {
  const statuses = ['incomplete', 'trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled']
  const lives = fc.array(fc.record({ status: fc.constantFrom(...statuses), mrr: fc.nat(1000) }), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(lives, steps => {
      const states = steps.map(({ status, mrr }, at) => state(at, status, { mrr }))
      const { movements } = deriveMovements(states)
      const sum = movements.reduce((total, { amountMinor }) => total + amountMinor, 0)
      const last = states.at(-1)
      expect(sum).toBe(last && ['active', 'past_due'].includes(last.status) ? last.mrr : 0)
    }),
    { seed: seeded(10), numRuns: runs(300) },
  )
})

const movement = (at: number, kind: Movement['kind'], amountMinor: number): Movement => {
  return { at, kind, currency: 'USD', amountMinor }
}

test('compensating movements: a compensating movement has the kind and time of the movement that it corrects', () => {
  const recorded = [movement(1, 'start', 100), movement(3, 'upgrade', 50)]
  const wanted = [movement(1, 'start', 100), movement(2, 'upgrade', 20), movement(3, 'upgrade', 30)]
  expect(compensate(recorded, wanted)).toEqual([movement(2, 'upgrade', 20), movement(3, 'upgrade', -20)])
})

test('compensating movements: a movement beyond exact numbers is refused, because it could not be read again', () => {
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
    { seed: seeded(11), numRuns: runs(200) },
  )
})

const paid = (id: string, paidAt: number, reason: string | null) => ({ id, paidAt, reason })
const ids = (invoices: ReturnType<typeof paid>[], ...states: State[]) =>
  renewalsOf(invoices, trialOf(states)).map(({ id }) => id)
const tried = [state(1, 'trialing'), state(5, 'active')]

test('renewals: an invoice with the reason subscription_cycle is a renewal', () => {
  const invoices = [
    paid('b', 2, 'subscription_cycle'),
    paid('a', 1, 'subscription_create'),
    paid('c', 3, 'subscription_update'),
    paid('d', 4, 'manual'),
  ]
  expect(ids(invoices)).toEqual(['b'])
})

test('renewals: the payment that ends a trial is no renewal', () => {
  const cycles = [paid('a', 5, 'subscription_cycle'), paid('b', 6, 'subscription_cycle')]
  expect(ids(cycles, ...tried)).toEqual(['b'])
  expect(ids(cycles)).toEqual(['a', 'b'])
})

const fee = (at: number) => paid('a', at, 'subscription_create')
const cycle = paid('b', 6, 'subscription_cycle')
test.each<[string, ReturnType<typeof paid>[], string[]]>([
  ['a fee for setting up', [fee(1), cycle], []],
  ['a fee one second before the trial', [fee(0), cycle], []],
  ['a one-off invoice', [paid('a', 3, 'manual'), cycle], []],
  ['a payment that ended the trial early', [paid('a', 5, 'subscription_update'), cycle], ['b']],
  ['a fee, without reasons', [paid('a', 1, null), paid('b', 6, null), paid('c', 9, null)], ['c']],
  ['nothing, without reasons', [paid('b', 6, null), paid('c', 9, null)], ['c']],
])('renewals: a renewal is distinguished from the end of a trial after %s', (_what, invoices, wanted) => {
  expect(ids(invoices, ...tried)).toEqual(wanted)
})

test('renewals: a renewal stays one when a trial is granted to a paying customer later, and so does the next', () => {
  const granted = [state(5, 'trialing'), state(8, 'active')]
  const cycles = [paid('a', 3, 'subscription_cycle'), paid('b', 8, 'subscription_cycle')]
  expect(ids(cycles, state(1, 'active'), ...granted)).toEqual(['a', 'b'])
  expect(ids([fee(1), cycles[1]!], state(1, 'active'), ...granted)).toEqual(['b'])
  // Nothing is known of the time before.
  expect(ids(cycles, ...granted)).toEqual(['a', 'b'])
})

test.each([null, 'subscription'])(
  'renewals: every payment but the first is a renewal for the reason %s',
  reason => {
    expect(ids([paid('a', 1, reason), paid('b', 2, reason)])).toEqual(['b'])
  },
)
