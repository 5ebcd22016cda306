import { expect, test } from 'vitest'
import { item, type Json, life, onDay, price, subscription } from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'

const revenue = revenueOfFile()

const items = (amount: number, quantity = 1, recurring: Json = {}): Json => ({
  items: { object: 'list', data: [item(price(amount, { recurring }), { quantity })], has_more: false },
})
const is = (status: string, more: Json = {}) => ({ status, ...more })
const END = { status: 'canceled', ended_at: onDay(9), canceled_at: onDay(9) }
const TRIAL = { trial_start: onDay(1), trial_end: onDay(15) }
const PAUSED = { pause_collection: { behavior: 'mark_uncollectible', resumes_at: onDay(40) } }
const SCHEDULED = { cancel_at_period_end: true, cancel_at: onDay(32), canceled_at: onDay(2) }
const [tripled, yearly] = [items(1000, 3), items(12_000, 1, { interval: 'year' })]

/** Changes by day of January; a list has several of one day. An end in the last one deletes the subscription. */
type Steps = Record<number, Json | Json[]>

const dayOf = (number: string) => `2026-01-${number.padStart(2, '0')}`
/** Reads `1 1000, 3 -1000` and `1 started, 3 ended` into dates with the rest. */
const byDay = (text: string) =>
  [...text.matchAll(/(\d+) ([^,]+)/g)].map(([, number, rest]) => [dayOf(number!), rest!] as const)

/** Steps by what they are, and what is told of them. */
const LIVES: Record<string, [steps: Steps, told: string]> = {
  'starts active': [{ 1: {} }, '1 1000; 1 started'],
  'starts past due': [{ 1: is('past_due') }, '1 1000; 1 started'],
  'starts once it is paid': [{ 1: is('incomplete'), 2: {} }, '2 1000; 2 started'],
  'is never paid': [{ 1: is('incomplete'), 2: is('incomplete_expired') }, ';'],
  'is past due for a while': [{ 1: {}, 2: is('past_due'), 3: {} }, '1 1000; 1 started'],
  'is upgraded past due': [{ 1: {}, 2: is('past_due', items(1500)) }, '1 1000, 2 500; 1 started, 2 upgraded'],
  ...Object.fromEntries(
    ['unpaid', 'paused', 'incomplete'].map(status => [
      `is ${status}, and starts again`,
      [{ 1: {}, 3: is(status), 5: {} }, '1 1000, 3 -1000, 5 1000; 1 started, 3 ended, 5 started'],
    ]),
  ),
  'is unpaid, and ends once': [{ 1: {}, 3: is('unpaid'), 9: END }, '1 1000, 3 -1000; 1 started, 3 ended'],
  'is canceled and deleted, and ends once, at its last price': [
    { 1: {}, 2: tripled, 9: [END, END].map(end => ({ ...end, ...tripled })) },
    '1 1000, 2 2000, 9 -3000; 1 started, 2 upgraded, 9 ended',
  ],
  'has a trial, and is kept': [
    { 1: is('trialing', TRIAL), 15: TRIAL },
    '15 1000; 1 trial_started, 15 trial_converted',
  ],
  'has a trial whose first payment fails': [
    { 1: is('trialing'), 15: is('past_due') },
    '15 1000; 1 trial_started, 15 trial_converted',
  ],
  'has a trial, is paused without a card, and is kept': [
    { 1: is('trialing'), 15: is('paused'), 17: {} },
    '17 1000; 1 trial_started, 17 trial_converted',
  ],
  'is canceled during its trial': [{ 1: is('trialing'), 9: END }, '; 1 trial_started'],
  'changes its price during its trial': [
    { 1: is('trialing'), 3: is('trialing', items(1700)), 15: items(1700) },
    '15 1700; 1 trial_started, 15 trial_converted',
  ],
  'has its collection paused': [{ 1: {}, 2: PAUSED, 4: {} }, '1 1000; 1 started'],
  'changes quantity, price and plan': [
    { 1: items(1000, 2), 2: items(1000, 5), 3: items(700, 5), 4: items(96_000, 1, { interval: 'year' }) },
    '1 2000, 2 3000, 3 -1500, 4 4500; 1 started, 2 upgraded, 3 downgraded, 4 upgraded',
  ],
  'changes what does not matter': [
    { 1: {}, 2: { metadata: { order: '17' } }, 3: yearly },
    '1 1000; 1 started',
  ],
  'is scheduled to end, and then is not': [
    { 1: {}, 2: SCHEDULED, 3: {} },
    '1 1000; 1 started, 2 cancel_scheduled, 3 reactivated',
  ],
  'is scheduled to end on a day that is moved, and ends': [
    { 1: {}, 2: { cancel_at: onDay(8) }, 3: { cancel_at: onDay(9) }, 9: { ...END, cancel_at: onDay(9) } },
    '1 1000, 9 -1000; 1 started, 2 cancel_scheduled, 9 ended',
  ],
  'is downgraded and scheduled to end in one event': [
    { 1: {}, 2: { cancel_at_period_end: true, ...items(400) } },
    '1 1000, 2 -600; 1 started, 2 cancel_scheduled, 2 downgraded',
  ],
}

test.each(Object.entries(LIVES))('subscriptions: a subscription that %s', async (_what, [steps, told]) => {
  const site = await revenue.shop()
  const changes = Object.entries(steps).flatMap(([day, given]) =>
    [given].flat().map<[number, Json]>(change => [Number(day), change]),
  )
  const events = life(subscription(), changes)
  if (changes.at(-1)![1].status === 'canceled') events.at(-1)!.type = 'customer.subscription.deleted'
  await revenue.deliverAll(site, events)
  const [movements = '', log = ''] = told.split(';')
  const sums = byDay(movements).map(([day, sum]) => [day, Number(sum)])
  expect(await revenue.movements(site)).toEqual(Object.fromEntries(sums))
  const names = byDay(log).map(
    ([day, name]) => `${day} ${name.startsWith('trial_') ? name : `subscription_${name}`}`,
  )
  expect(await revenue.log(site)).toEqual(names.sort())
})
