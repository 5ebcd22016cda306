// @module-tag full
import { expect, test } from 'vitest'
import { randomFrom } from '../support/random-values.ts'
import { runs } from '../support/runs.ts'
import { event, item, price, type StripeEvent, subscription } from '../support/stripe.ts'
import { revenueOfFile } from './revenue-shop.ts'
import type { StatsSite } from './stats-site.ts'

// Changes of MRR by customer, recounted from docs/metrics.md, after events that came in any order.

const DAY = 86_400
const FROM = Date.UTC(2026, 0, 1) / 1000
const KINDS = ['new', 'expansion', 'contraction', 'churn', 'reactivation'] as const

const revenue = revenueOfFile()

interface Step {
  customer: string
  subscription: string
  at: number
  mrr: number
  event: StripeEvent
}

/** Histories of subscriptions of a few customers, some of whose events happen in the same second. */
function randomSteps(seed: number): Step[] {
  const random = randomFrom(seed)
  const times = Array.from({ length: 12 }, () => FROM + random.int(70) * DAY + random.int(DAY))
  return Array.from({ length: 5 }, (_, number) => {
    const customer = `cus_${seed}_${1 + (number % 3)}`
    const id = `sub_${seed}_${number}`
    const chosen = [...new Set(Array.from({ length: 5 }, () => random.pick(times)))].sort((a, b) => a - b)
    return chosen.map((at, index): Step => {
      const status = random.pick(['active', 'active', 'past_due', 'unpaid', 'canceled', 'trialing'])
      const amount = random.pick([0, 1000, 1000, 2000, 3000])
      const object = subscription({ id, customer, status, items: [item(price(amount), { id: `si_${id}` })] })
      const mrr = status === 'active' || status === 'past_due' ? amount : 0
      const type = `customer.subscription.${index === 0 ? 'created' : 'updated'}`
      return { customer, subscription: id, at, mrr, event: event(type, object, at, `evt_${id}_${index}`) }
    })
  }).flat()
}

const mrrOf = (steps: Step[], subscriptionId: string, until: number) =>
  steps
    .filter(step => step.subscription === subscriptionId && step.at <= until)
    .sort((a, b) => a.at - b.at)
    .at(-1)?.mrr ?? 0

/** What happened to each customer at each second, by the definitions. */
function recount(steps: Step[]) {
  const changes: { customer: string; at: number; kind: (typeof KINDS)[number]; amount: number }[] = []
  for (const customer of new Set(steps.map(step => step.customer))) {
    const own = steps.filter(step => step.customer === customer)
    const ids = [...new Set(own.map(step => step.subscription))]
    let before = 0
    let most = 0
    for (const at of [...new Set(own.map(step => step.at))].sort((a, b) => a - b)) {
      const after = ids.reduce((sum, id) => sum + mrrOf(own, id, at), 0)
      const amount = after - before
      if (before === 0 && after > 0)
        changes.push({ customer, at, kind: most > 0 ? 'reactivation' : 'new', amount })
      else if (before > 0 && after === 0) changes.push({ customer, at, kind: 'churn', amount })
      else if (amount !== 0)
        changes.push({ customer, at, kind: amount > 0 ? 'expansion' : 'contraction', amount })
      before = after
      most = Math.max(most, after)
    }
  }
  return changes
}

const dateOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 10)

async function expectRecount(site: StatsSite, steps: Step[], from: number, to: number) {
  const start = FROM + from * DAY
  const end = FROM + (to + 1) * DAY
  const range = `from=${dateOf(start)}&to=${dateOf(end - 1)}`
  const changes = recount(steps)
  const inRange = changes.filter(({ at }) => at >= start && at < end)
  const sum = (list: typeof changes, kind?: string) =>
    list.reduce((total, each) => total + (kind === undefined || each.kind === kind ? each.amount : 0), 0)
  const count = (list: typeof changes, kind: string) => list.filter(each => each.kind === kind).length
  const customersAt = (until: number) => {
    const list = changes.filter(({ at }) => at < until)
    return count(list, 'new') + count(list, 'reactivation') - count(list, 'churn')
  }
  const ids = [...new Set(steps.map(step => step.subscription))]
  const money = await revenue.read(site, `/stats/money?${range}`)
  const mrr = sum(changes.filter(({ at }) => at < end))
  expect(money).toMatchObject({
    now: { mrr: sum(changes), arr: 12 * sum(changes) },
    mrr,
    mrr_at_start: sum(changes.filter(({ at }) => at < start)),
    new_mrr: sum(inRange, 'new'),
    expansion_mrr: sum(inRange, 'expansion'),
    contraction_mrr: sum(inRange, 'contraction'),
    churned_mrr: sum(inRange, 'churn'),
    reactivation_mrr: sum(inRange, 'reactivation'),
    net_new_mrr: sum(inRange),
    active_subscriptions: ids.filter(id => mrrOf(steps, id, end - 1) > 0).length,
    active_customers: customersAt(end),
    customers_at_start: customersAt(start),
    started_customers: count(inRange, 'new'),
    reactivated_customers: count(inRange, 'reactivation'),
    churned_customers: count(inRange, 'churn'),
  })
  expect((await revenue.read(site, `/overview?${range}`)).mrr).toBe(money.net_new_mrr)

  const series = await revenue.read(site, `/stats/money/movements?${range}&group=day`)
  const days = Array.from({ length: to - from + 1 }, (_, index) => start + index * DAY)
  for (const kind of KINDS) {
    const of = (day: number) => inRange.filter(({ at }) => at >= day && at < day + DAY)
    const byDay = days.map(day => sum(of(day), kind))
    expect(series[kind], kind).toEqual(byDay)
  }
  expect(series.mrr).toEqual(days.map(day => sum(changes.filter(({ at }) => at < day + DAY))))
  const list = await revenue.read(site, `/stats/money/changes?${range}&per_page=100`)
  expect(list.meta.total).toBe(inRange.length)
  expect(list.data).toEqual(
    inRange
      .toSorted((a, b) => b.at - a.at || (a.customer < b.customer ? -1 : 1))
      .map(({ customer, at, kind, amount }) => {
        const who = { customer: `c:${customer}`, email: null, name: null }
        return { at: new Date(at * 1000).toISOString(), ...who, kind, amount }
      }),
  )
  // Filters read movements instead: the same numbers where every movement passes.
  const filter = 'source[is_not]=nothing'
  const filtered = await revenue.read(site, `/stats/money?${range}&${filter}`)
  expect(filtered).toEqual({ ...money, now: null })
  expect(await revenue.read(site, `/stats/money/movements?${range}&group=day&${filter}`)).toEqual(series)
  const kept = await revenue.read(site, `/stats/money/changes?${range}&per_page=100&${filter}`)
  expect(kept.data).toEqual(list.data)
}

test.each(Array.from({ length: runs(2) }, (_, index) => index + 1))(
  'changes of MRR: late events in any order leave what the right order gives, seed %i',
  async seed => {
    const random = randomFrom(1_000 + seed)
    const site = await revenue.shop()
    const steps = randomSteps(seed)
    const waiting = [...steps]
    const arrived: Step[] = []
    while (waiting.length > 0) {
      const [next] = waiting.splice(random.int(waiting.length), 1)
      await revenue.deliverAll(site, [next!.event])
      arrived.push(next!)
      if (arrived.length % 8 !== 0 && waiting.length > 0) continue
      const from = random.int(60)
      await expectRecount(site, arrived, from, from + random.int(70 - from))
    }
    await expectRecount(site, steps, 0, 75)
  },
)
