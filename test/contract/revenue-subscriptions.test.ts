import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { event, item, type Json, onDay, price, subscription } from '../support/stripe.ts'
import { type Revenue, startRevenue } from './revenue-shop.ts'

let revenue: Revenue
beforeAll(async () => {
  revenue = await startRevenue()
})
afterAll(() => revenue.close())

const items = (...each: Json[]) => ({ items: { object: 'list', data: each, has_more: false } })
type Step = [day: number, change: Json, type?: string]

/** Changes of one subscription on some days of January. */
const life = (base: Json, steps: Step[]) =>
  steps.map(([day, change, type = 'updated'], index) =>
    event(`customer.subscription.${index === 0 ? 'created' : type}`, { ...base, ...change }, onDay(day)),
  )

const END: Json = { status: 'canceled', ended_at: onDay(9), canceled_at: onDay(9) }
const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}`

describe('subscriptions', () => {
  test.each<[string, Step[], Record<number, number>, string[]]>([
    ['starts active', [[1, {}]], { 1: 1000 }, ['1 started']],
    ['starts past due', [[1, { status: 'past_due' }]], { 1: 1000 }, ['1 started']],
    [
      'starts once it is paid',
      [
        [1, { status: 'incomplete' }],
        [2, {}],
      ],
      { 2: 1000 },
      ['2 started'],
    ],
    [
      'is never paid',
      [
        [1, { status: 'incomplete' }],
        [2, { status: 'incomplete_expired' }],
      ],
      {},
      [],
    ],
    [
      'is past due for a while and keeps counting',
      [
        [1, {}],
        [2, { status: 'past_due' }],
        [3, {}],
      ],
      { 1: 1000 },
      ['1 started'],
    ],
    [
      'is upgraded while it is past due',
      [
        [1, {}],
        [2, { status: 'past_due', ...items(item(price(1500))) }],
      ],
      { 1: 1000, 2: 500 },
      ['1 started', '2 upgraded'],
    ],
    ...['unpaid', 'paused'].map<[string, Step[], Record<number, number>, string[]]>(status => [
      `is ${status}, and starts again`,
      [
        [1, {}],
        [3, { status }],
        [5, {}],
      ],
      { 1: 1000, 3: -1000, 5: 1000 },
      ['1 started', '3 ended', '5 started'],
    ]),
    [
      'is unpaid, then canceled, and ends once',
      [
        [1, {}],
        [3, { status: 'unpaid' }],
        [9, END, 'deleted'],
      ],
      { 1: 1000, 3: -1000 },
      ['1 started', '3 ended'],
    ],
    [
      'is canceled and deleted, and ends once, at its last price',
      [
        [1, {}],
        [2, items(item(price(1000), { quantity: 3 }))],
        [9, { ...END, ...items(item(price(1000), { quantity: 3 })) }],
        [9, { ...END, ...items(item(price(1000), { quantity: 3 })) }, 'deleted'],
      ],
      { 1: 1000, 2: 2000, 9: -3000 },
      ['1 started', '2 upgraded', '9 ended'],
    ],
    [
      'has a trial and is kept',
      [
        [1, { status: 'trialing', trial_start: onDay(1), trial_end: onDay(15) }],
        [15, { trial_start: onDay(1), trial_end: onDay(15) }],
      ],
      { 15: 1000 },
      ['1 trial_started', '15 trial_converted'],
    ],
    [
      'has a trial whose first payment fails',
      [
        [1, { status: 'trialing' }],
        [15, { status: 'past_due' }],
      ],
      { 15: 1000 },
      ['1 trial_started', '15 trial_converted'],
    ],
    [
      'has a trial, is paused without a card, and is kept',
      [
        [1, { status: 'trialing' }],
        [15, { status: 'paused' }],
        [17, {}],
      ],
      { 17: 1000 },
      ['1 trial_started', '17 trial_converted'],
    ],
    [
      'is canceled during its trial',
      [
        [1, { status: 'trialing' }],
        [9, END, 'deleted'],
      ],
      {},
      ['1 trial_started'],
    ],
    [
      'changes its price during its trial',
      [
        [1, { status: 'trialing' }],
        [3, { status: 'trialing', ...items(item(price(1700))) }],
        [15, items(item(price(1700)))],
      ],
      { 15: 1700 },
      ['1 trial_started', '15 trial_converted'],
    ],
    [
      'has its collection paused',
      [
        [1, {}],
        [2, { pause_collection: { behavior: 'mark_uncollectible', resumes_at: onDay(40) } }],
        [4, {}],
      ],
      { 1: 1000 },
      ['1 started'],
    ],
    [
      'changes quantity, price and plan',
      [
        [1, items(item(price(1000), { quantity: 2 }))],
        [2, items(item(price(1000), { quantity: 5 }))],
        [3, items(item(price(700), { quantity: 5 }))],
        [4, items(item(price(96_000, { recurring: { interval: 'year' } })))],
      ],
      { 1: 2000, 2: 3000, 3: -1500, 4: 4500 },
      ['1 started', '2 upgraded', '3 downgraded', '4 upgraded'],
    ],
    [
      'changes fields that do not matter',
      [
        [1, {}],
        [2, { metadata: { order: '17' } }],
        [3, items(item(price(12_000, { recurring: { interval: 'year' } })))],
      ],
      { 1: 1000 },
      ['1 started'],
    ],
    [
      'is scheduled to end, and then is not',
      [
        [1, {}],
        [2, { cancel_at_period_end: true, cancel_at: onDay(32), canceled_at: onDay(2) }],
        [3, {}],
      ],
      { 1: 1000 },
      ['1 started', '2 cancel_scheduled', '3 reactivated'],
    ],
    [
      'is scheduled to end on a day that is moved, and ends',
      [
        [1, {}],
        [2, { cancel_at: onDay(8) }],
        [3, { cancel_at: onDay(9) }],
        [9, { ...END, cancel_at: onDay(9) }, 'deleted'],
      ],
      { 1: 1000, 9: -1000 },
      ['1 started', '2 cancel_scheduled', '9 ended'],
    ],
    [
      'is downgraded and scheduled to end in one event',
      [
        [1, {}],
        [2, { cancel_at_period_end: true, ...items(item(price(400))) }],
      ],
      { 1: 1000, 2: -600 },
      ['1 started', '2 cancel_scheduled', '2 downgraded'],
    ],
  ])('a subscription that %s', async (_what, steps, movements, log) => {
    const site = await revenue.shop()
    await revenue.deliverAll(site, life(subscription(), steps))
    const expected = Object.entries(movements).map(([at, sum]) => [day(Number(at)), sum])
    expect(await revenue.movements(site)).toEqual(Object.fromEntries(expected))
    const named = log.map(entry => {
      const [at, name = ''] = entry.split(' ')
      return `${day(Number(at))} ${name.startsWith('trial_') ? name : `subscription_${name}`}`
    })
    expect(await revenue.log(site)).toEqual(named.sort())
  })
})
