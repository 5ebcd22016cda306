import { expect, test } from 'vitest'
import { readEvent } from '../../../src/money/processor/event.ts'
import type { AnyFact } from '../../../src/money/processor/facts.ts'
import { deriveHistory } from '../../../src/money/subscriptions/history.ts'
import { chained } from '../../../src/money/subscriptions/same-second.ts'
import { coupon, discount, event, item, type Json, onDay, price, subscription } from '../../support/stripe.ts'

const [small, large] = [price(1000, { id: 'small' }), price(4000, { id: 'large' })]
const planOf = ({ id, unit_amount, currency }: Json) => ({
  ...{ id, amount: unit_amount, currency, object: 'plan' },
  ...{ interval: 'month', interval_count: 1, usage_type: 'licensed', billing_scheme: 'per_unit' },
})
const si = (options: Json = {}, of = small) => item(of, { id: 'si_1', ...options })
const having = (...items: Json[]) => ({ items: { object: 'list', data: items, has_more: false } })
const base = subscription({ items: [si()], id: 'sub_1', customer: 'cus_1' })
const [half, fifth] = [50, 20].map(percent_off =>
  discount(coupon({ percent_off }), { subscription: 'sub_1' }),
)

/** What an update made of the subscription, and what was before. */
type Update = [now: Json, previous: Json | undefined]

const factOf = (type: string, object: Json, at: number, id: string, previous?: Json): AnyFact => {
  const told = event(type, object, at, id)
  if (previous) told.data.previous_attributes = previous
  return readEvent(JSON.stringify(told), new Date(onDay(40) * 1000))!.fact as AnyFact
}

function permutations<Value>(values: readonly Value[]): Value[][] {
  if (values.length < 2) return [[...values]]
  return values.flatMap((value, index) =>
    permutations(values.toSpliced(index, 1)).map(rest => [value, ...rest]),
  )
}

const mrrOf = ({ mrr }: { mrr: number }) => mrr

const quantity = (count: number) => having(si({ quantity: count }))
const single = (count: number) => ({ ...quantity(count), quantity: count })
const onPlan = (of: Json) => ({ ...having(si({ plan: planOf(of) }, of)), plan: planOf(of) })
const endsLater = (cancel_at_period_end: boolean) => ({ cancel_at_period_end })

/** Updates from one to the next. */
const chain = (...states: Json[]) => states.slice(1).map((now, index): Update => [now, states[index]])

test.each<[string, Update[], number[]]>([
  ['quantities of items', chain(quantity(1), quantity(2), quantity(5)), [2000, 5000]],
  [
    'the quantity of the only item alone, up and down again',
    [3, 2, 1].map((count, index) => [single(count), { quantity: [1, 3, 2][index] }]),
    [3000, 2000, 1000],
  ],
  ['a state that comes twice', chain(quantity(1), quantity(2), quantity(1), quantity(7)), [2000, 1000, 7000]],
  [
    'prices, by the item',
    chain(having(si()), having(si({}, large)), having(si({ quantity: 2 }, large))),
    [4000, 8000],
  ],
  [
    'prices, by the plan of the subscription',
    [
      [onPlan(large), { plan: { id: 'small', amount: 1000 } }],
      [onPlan(small), { plan: { id: 'large', amount: 4000 } }],
    ],
    [4000, 1000],
  ],
  [
    'items that are added and removed',
    chain(having(si()), having(si(), item(large, { id: 'si_2' })), having(item(large, { id: 'si_2' }))),
    [5000, 4000],
  ],
  [
    'a part of an item',
    [2, 3].map(count => [quantity(count), { items: { data: [{ id: 'si_1', quantity: count - 1 }] } }]),
    [2000, 3000],
  ],
  [
    'statuses, against their usual course',
    chain(...['active', 'past_due', 'unpaid', 'active'].map(status => ({ status }))),
    [1000, 0, 1000],
  ],
  [
    'discounts',
    [
      [{ discounts: [half] }, { discounts: [] }],
      [{ discounts: [fifth] }, { discounts: [half!.id] }],
      [{ discounts: [] }, { discounts: [fifth!.id] }],
    ],
    [500, 800, 1000],
  ],
  [
    'a discount in the old form',
    [
      [{ discounts: undefined, discount: half }, { discount: null }],
      [{ discounts: undefined, discount: fifth }, { discount: half }],
    ],
    [500, 800],
  ],
  [
    'several things at once',
    [
      [
        { ...quantity(2), ...endsLater(true) },
        { ...quantity(1), ...endsLater(false) },
      ],
      [
        { ...quantity(2), status: 'past_due' },
        { status: 'active', ...endsLater(true) },
      ],
    ],
    [2000, 2000],
  ],
  [
    'one that was not delivered',
    [
      [quantity(2), quantity(1)],
      [quantity(9), quantity(5)],
    ],
    [2000, 9000],
  ],
])(
  'updates of one subscription in one second: %s: the previous attributes decide their order, whatever their ids are',
  (_what, updates, expected) => {
    const start = factOf('customer.subscription.created', base, onDay(1), 'evt_m')
    for (const ids of permutations(['evt_a', 'evt_b', 'evt_c'].slice(0, updates.length))) {
      const facts = updates.map(([now, previous], index) =>
        factOf('customer.subscription.updated', { ...base, ...now }, onDay(2), ids[index]!, previous),
      )
      for (const given of [facts, facts.toReversed()]) {
        const { states } = deriveHistory([...given, start], [], [])
        expect(states.map(mrrOf), ids.join()).toEqual([1000, ...expected])
      }
    }
  },
)

test('updates of one subscription in one second: an update comes after the creation of the same second, and before the end', () => {
  const facts = [
    factOf('customer.subscription.deleted', { ...base, ...quantity(2) }, onDay(1), 'evt_a'),
    factOf('customer.subscription.updated', { ...base, ...quantity(2) }, onDay(1), 'evt_b', quantity(1)),
    factOf('customer.subscription.created', base, onDay(1), 'evt_c'),
  ]
  expect(deriveHistory(facts, [], []).states.map(mrrOf)).toEqual([1000, 2000, 0])
})

test.each<[string, (Json | undefined)[]]>([
  ['nothing says what was before', [undefined, undefined]],
  ['they say what does not matter', [{ metadata: { a: '1' } }, { latest_invoice: 'in_1' }]],
  ['they cannot be read', [{ items: 'x' }, { quantity: 'many' }]],
  ['they contradict each other alike', [quantity(8), quantity(9)]],
])(
  'updates of one subscription in one second: where %s, their status decides, then their ids',
  (_what, [first, second]) => {
    const facts = [
      factOf('customer.subscription.updated', { ...base, status: 'past_due' }, onDay(2), 'evt_a', first),
      factOf('customer.subscription.updated', { ...base, ...quantity(3) }, onDay(2), 'evt_c', second),
      factOf('customer.subscription.updated', { ...base, ...quantity(2) }, onDay(2), 'evt_b', second),
    ]
    const { states } = deriveHistory(facts, [], [])
    expect(states.map(({ key }) => key)).toEqual(['evt_b', 'evt_c', 'evt_a'])
  },
)

test('updates of the discount of a customer in one second: the previous attributes decide', () => {
  const [tenth, quarter, third] = [10, 25, 40].map(percent_off => coupon({ percent_off }))
  const told = (change: string, of: Json, at: number, id: string, before?: Json) => {
    const object = discount(of, { id: 'di_1', customer: 'cus_1' })
    const previous = before && { source: { coupon: before, type: 'coupon' } }
    return factOf(`customer.discount.${change}`, object, at, id, previous)
  }
  for (const [first, second] of permutations(['evt_a', 'evt_b'])) {
    const ofCustomer = [
      told('created', tenth!, onDay(1), 'evt_m'),
      told('updated', quarter!, onDay(2), first!, tenth),
      told('updated', third!, onDay(2), second!, quarter),
    ]
    const start = factOf('customer.subscription.created', base, onDay(1), 'evt_s')
    expect(deriveHistory([start], ofCustomer, []).states.at(-1)!.mrr).toBe(600)
  }
})

test('more events of one second than are compared keep their order', () => {
  const many = Array.from({ length: 11 }, (_, index) => index)
  expect(chained(many, (event, before) => Number(before !== event + 1))).toEqual(many)
  expect(chained(many.slice(1), (event, before) => Number(before !== event + 1))).toEqual(
    many.slice(1).reverse(),
  )
})
