import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/platform/db/connect.ts'
import { randomFrom } from './random-values.ts'
import { bucketing, bucketsOf, labelsOf } from './recount-buckets.ts'
import { isWithin, type Period } from './recount-days.ts'
import { beforeOf, type Query, spanOf } from './recount-metrics.ts'
import {
  inDollars,
  type Moved,
  moneyOf,
  mrrOf,
  type Paid,
  passes,
  place,
  revenueOf,
  storeMoney,
} from './recount-money.ts'
import { sum } from './recount-rounding.ts'
import { byText, type Dimension, dimensionValue, type World } from './recount-world.ts'
import type { TestSite } from './sites.ts'

/** The pages of money, recounted the slow way from payments of customers and changes of their subscriptions. */

const KINDS = ['new', 'expansion', 'contraction', 'churn', 'reactivation'] as const
type Kind = (typeof KINDS)[number]

interface LedgerPayment extends Paid {
  id: string
  isFirst: boolean
  name: string
  /** key */
  customer: string
}

interface LedgerMovement extends Moved {
  subscription: string
  customerId: string | null
  /** key */
  customer: string
}

export interface Ledger {
  payments: LedgerPayment[]
  movements: LedgerMovement[]
}

/** Some customers that pay and subscribe; some of their subscriptions change at the same moment. */
export function randomLedger(seed: number, world: World): Ledger {
  const random = randomFrom(seed)
  const payments = Array.from({ length: 2 + random.int(10) }, (_, index) => {
    const amountMinor = 1 + random.int(10_000)
    return {
      ...place(random, world),
      ...{ id: randomUUID(), isFirst: false, name: `Name ${index}`, isRecurring: random.chance(0.4) },
      ...{ amountMinor, refundedMinor: random.pick([0, 0, amountMinor, random.int(amountMinor)]) },
      customer: random.pick(['c:one', 'c:two', 'e:three@example.com']),
    }
  })
  for (const paid of payments) {
    const others = payments.filter(
      ({ customer, currency }) => customer === paid.customer && currency === paid.currency,
    )
    paid.isFirst = others.every(({ at }) => at >= paid.at)
  }
  const times = Array.from({ length: 12 }, () => place(random, world).at)
  const movements = Array.from({ length: 2 + random.int(4) }, (_, index): LedgerMovement[] => {
    const subscription = `sub_${index}`
    const customerId = random.pick(['one', 'two', 'two', null])
    const customer = customerId ? `c:${customerId}` : `s:${subscription}`
    const { currency } = place(random, world)
    let level = 0
    return [...new Set(Array.from({ length: 8 }, () => random.pick(times)))]
      .sort((a, b) => a - b)
      .map(at => {
        const before = level
        level = random.pick([0, 1_000, 1_000, 2_000])
        const { visit } = place(random, world)
        return { at, currency, visit, subscription, customerId, customer, amountMinor: level - before }
      })
      .filter(({ amountMinor }) => amountMinor !== 0)
  }).flat()
  return { payments, movements }
}

/** Writes it to the tables of the site as the product does. */
export async function storeLedger(db: Db, site: TestSite, { payments, movements }: Ledger): Promise<void> {
  for (const paid of payments) {
    await db`
      insert into payments (
        id, site_no, transaction_id, amount_minor, refunded_minor, currency, name, customer, recurring, paid_at, source
      )
      values (
        ${paid.id}, ${site.siteNo}, ${paid.id}, ${paid.amountMinor}, ${paid.refundedMinor}, ${paid.currency},
        ${paid.name}, ${paid.customer}, ${paid.isRecurring}, ${new Date(paid.at)}, 'api'
      )`
  }
  for (const { subscription, customerId, currency } of movements) {
    await db`
      insert into subscriptions (site_no, subscription_id, customer_id, currency, status, mrr_minor, state)
      values (${site.siteNo}, ${subscription}, ${customerId}, ${currency}, 'active', 0, '{}')
      on conflict do nothing`
  }
  await storeMoney(db, site, { payments, movements })
  const customers = [...new Set(movements.map(({ customer }) => customer))]
  await db`select derive_mrr_changes(${site.siteNo}, ${customers}::text[])`
}

/** What the money report says of the range and of the period before, without ratios. */
export const recountMoneyReport = (world: World, ledger: Ledger, query: Query) => ({
  ...reportOf(world, ledger, query),
  previous: reportOf(world, ledger, beforeOf(world, query)),
})

function reportOf(world: World, { payments, movements }: Ledger, query: Query) {
  const span = spanOf(world, query)
  const paid = payments.filter(each => isWithin(span, each.at) && counts(world, query, each))
  const notRefunded = paid.filter(({ refundedMinor, amountMinor }) => refundedMinor < amountMinor)
  const kept = movements.filter(each => counts(world, query, each))
  const until = (end: number) => kept.filter(({ at }) => at < end)
  const changes = changesOf(movements, kept).filter(({ at }) => isWithin(span, at))
  const number = (kind: Kind) => changes.filter(change => change.kind === kind).length
  return {
    mrr: mrrOf(until(span.end)),
    mrr_at_start: mrrOf(until(span.start)),
    net_new_mrr: mrrOf(until(span.end)) - mrrOf(until(span.start)),
    new_mrr: amountOf(changes, 'new'),
    expansion_mrr: amountOf(changes, 'expansion'),
    contraction_mrr: amountOf(changes, 'contraction'),
    churned_mrr: amountOf(changes, 'churn'),
    reactivation_mrr: amountOf(changes, 'reactivation'),
    active_subscriptions: withMrr(until(span.end), ({ subscription }) => subscription),
    active_customers: withMrr(until(span.end), ({ customer }) => customer),
    customers_at_start: withMrr(until(span.start), ({ customer }) => customer),
    started_customers: number('new'),
    reactivated_customers: number('reactivation'),
    churned_customers: number('churn'),
    revenue: revenueOf(paid),
    payments: notRefunded.length,
    paying_customers: customersOf(notRefunded),
    new_customers: paid.filter(({ isFirst }) => isFirst).length,
  }
}

/** Whether money is in the currency of the site, and passes the filters. */
const counts = (world: World, query: Query, each: Pick<Moved, 'currency' | 'visit'>) =>
  inDollars(each) && passes(world, query, each.visit)

const customersOf = (payments: LedgerPayment[]) => new Set(payments.map(({ customer }) => customer)).size

function withMrr(movements: LedgerMovement[], unitOf: (movement: LedgerMovement) => string): number {
  const units = [...new Set(movements.map(unitOf))]
  return units.filter(unit => mrrOf(movements.filter(each => unitOf(each) === unit)) > 0).length
}

interface Change {
  customer: string
  at: number
  kind: Kind
  amount: number
}

const amountOf = (changes: Change[], kind: Kind) =>
  sum(changes.filter(change => change.kind === kind).map(({ amount }) => amount))

/** What is kept of the changes of customers, the newest first. */
function changesOf(all: LedgerMovement[], kept: LedgerMovement[]): Change[] {
  const moments = [...new Set(kept.map(({ customer, at }) => JSON.stringify({ customer, at })))]
  return moments
    .map((moment): Change => {
      const { customer, at } = JSON.parse(moment) as { customer: string; at: number }
      const amount = mrrOf(kept.filter(each => each.customer === customer && each.at === at))
      const kind = kindOf(all, customer, at) ?? (amount > 0 ? 'expansion' : 'contraction')
      return { customer, at, kind, amount }
    })
    .filter(({ amount }) => amount !== 0)
    .sort((a, b) => b.at - a.at || byText(a.customer, b.customer))
}

/** Kind of the whole change of a customer at a time; undefined where its movements cancel out. */
function kindOf(movements: LedgerMovement[], customer: string, time: number): Kind | undefined {
  const own = movements.filter(each => each.customer === customer)
  const mrrAt = (last: number) => mrrOf(own.filter(({ at }) => at <= last))
  const before = mrrAt(time - 1)
  const after = mrrAt(time)
  if (before === after) return undefined
  if (before > 0) return after === 0 ? 'churn' : after > before ? 'expansion' : 'contraction'
  return own.some(({ at }) => at < time && mrrAt(at) > 0) ? 'reactivation' : 'new'
}

/** The series of MRR movements by kind, without the comparison. */
export function recountMrrSeries(world: World, { movements }: Ledger, query: Query) {
  const { group, buckets, labels } = bucketing(world, query)
  const before = beforeOf(world, query)
  const bucketsBefore = bucketsOf(world.zone, before, group)
  const series = (asked: Query, parts: Period[]) => {
    const kept = movements.filter(each => counts(world, asked, each))
    const changes = changesOf(movements, kept)
    const inPart = (part: Period) => changes.filter(({ at }) => isWithin(part, at))
    return {
      ...Object.fromEntries(KINDS.map(kind => [kind, parts.map(part => amountOf(inPart(part), kind))])),
      mrr: parts.map(({ end }) => mrrOf(kept.filter(({ at }) => at < end))),
    }
  }
  return {
    labels,
    ...series(query, buckets),
    previous: series(before, bucketsBefore),
    previous_labels: labelsOf(world.zone, bucketsBefore),
    group,
  }
}

/** The list of changes of MRR. */
export function recountMrrChanges(world: World, { payments, movements }: Ledger, query: Query) {
  const span = spanOf(world, query)
  const kept = movements.filter(each => isWithin(span, each.at) && counts(world, query, each))
  return changesOf(movements, kept).map(({ customer, at, kind, amount }) => {
    const [newest] = payments
      .filter(each => inDollars(each) && each.customer === customer)
      .sort((a, b) => b.at - a.at)
    return { customer, email: null, name: newest?.name ?? null, at: new Date(at).toISOString(), kind, amount }
  })
}

const SORTS = ['revenue', 'payments', 'customers', 'new_customers', 'mrr'] as const

/** Money by dimension, all rows. */
export function recountMoneyBreakdown(
  world: World,
  ledger: Ledger,
  dimension: Dimension,
  sort: (typeof SORTS)[number],
  query: Query,
) {
  const values = new Set(['', ...world.hits.map(hit => dimensionValue(hit, dimension))])
  return [...values]
    .flatMap(value => {
      const found = moneyOf(world, ledger, dimension, value, query)
      const paid = found.payments.filter(inDollars)
      const notRefunded = paid.filter(({ refundedMinor, amountMinor }) => refundedMinor < amountMinor)
      const mrr = mrrOf(found.movements)
      if (paid.length === 0 && mrr === 0) return []
      const row = {
        ...{ revenue: revenueOf(paid), payments: notRefunded.length, customers: customersOf(notRefunded) },
        ...{ new_customers: paid.filter(({ isFirst }) => isFirst).length, mrr },
      }
      return [{ value, ...row }]
    })
    .sort((a, b) => b[sort] - a[sort] || b.revenue - a.revenue || byText(a.value, b.value))
    .map(row => ({ ...row, value: row.value || '(none)' }))
}
