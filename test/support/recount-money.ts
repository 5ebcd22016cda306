import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/platform/db/connect.ts'
import { markBuckets } from '../../src/storage/rollups/dirty.ts'
import { type Random, randomFrom } from './random-values.ts'
import { bucketing, bucketsOf } from './recount-buckets.ts'
import { hourOfWeek, isWithin, type Period } from './recount-days.ts'
import { hasHitFilters, passesSessionFilters } from './recount-filters.ts'
import { beforeOf, keptOf, type Query, spanOf } from './recount-metrics.ts'
import { sum } from './recount-rounding.ts'
import { comparisonOf, type SeriesQuery } from './recount-timeseries.ts'
import { type Dimension, isHitDimension, type Visit, type World } from './recount-world.ts'
import type { TestSite } from './sites.ts'

/** Money in the ledgers, by the session it is attributed to; recounted the slow way. */

export interface Moved {
  at: number
  amountMinor: number
  currency: string
  visit: Visit | undefined
  /** default: one for all */
  subscription?: string
}

export interface Paid extends Omit<Moved, 'subscription'> {
  refundedMinor: number
  isRecurring: boolean
  /** of the payment in the ledger; default: there is none */
  id?: string
  isFirst?: boolean
}

export interface Money {
  payments: Paid[]
  movements: Moved[]
}

/** Some visits that pay, some money that is nobody's. */
export function randomMoney(seed: number, world: World): Money {
  const random = randomFrom(seed)
  const movements = Array.from({ length: random.int(6) }, () => ({
    ...place(random, world),
    amountMinor: random.int(2_000) - 1_000,
  }))
  const payments = Array.from({ length: random.int(10) }, () => {
    const amountMinor = 1 + random.int(10_000)
    return {
      ...place(random, world),
      amountMinor,
      refundedMinor: random.pick([0, 0, 0, amountMinor, random.int(amountMinor)]),
      isRecurring: random.chance(0.4),
    }
  })
  return { payments, movements }
}

/** A currency, and a time at or after a visit, or of nobody. */
export function place(random: Random, world: World) {
  const visit = random.chance(0.8) && world.visits.length > 0 ? random.pick(world.visits) : undefined
  const start = visit?.startedAt ?? random.pick(world.hits)?.at ?? 0
  return { visit, at: start + random.int(3 * 24 * 3_600_000), currency: random.pick(['USD', 'USD', 'EUR']) }
}

/** Writes it to the ledgers of the site, as attributed, with the marks of payments that an aggregate may have passed. */
export async function storeMoney(db: Db, site: TestSite, { payments, movements }: Money): Promise<void> {
  const sessionOf = async (visit: Visit | undefined) => {
    if (!visit) return { no: null, at: null }
    const [session] = await db`
      select session_no as no, started_at as at from sessions join visitors using (site_no, visitor_no)
      where sessions.site_no = ${site.siteNo} and visitors.id = ${visit.visitor} and started_at = ${new Date(visit.startedAt)}`
    return session as { no: number; at: Date }
  }
  for (const paid of payments) {
    const session = await sessionOf(paid.visit)
    await db`
      insert into revenue (
        site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, is_first_of_customer, session_no,
        session_at
      )
      values (
        ${site.siteNo}, ${new Date(paid.at)}, ${paid.id ?? randomUUID()}, ${paid.currency}, ${paid.amountMinor},
        ${paid.refundedMinor}, ${paid.isRecurring}, ${paid.isFirst ?? false}, ${session.no}, ${session.at}
      )`
  }
  await db.begin(tx =>
    markBuckets(
      tx,
      'revenue',
      payments.map(({ at }) => ({ siteNo: site.siteNo, at })),
    ),
  )
  for (const movement of movements) {
    const session = await sessionOf(movement.visit)
    await db`
      insert into mrr_movements (
        site_no, at, subscription_id, kind, currency, amount_minor, session_no, session_at
      )
      values (
        ${site.siteNo}, ${new Date(movement.at)}, ${movement.subscription ?? 'sub'}, 'start', ${movement.currency},
        ${movement.amountMinor}, ${session.no}, ${session.at}
      )`
  }
}

/** Whether money passes the filters: by its session, or as having nothing where it has none. */
export function passes(world: World, { filters = {}, ...range }: Query, visit: Visit | undefined): boolean {
  if (visit) return keptOf(world, { filters, ...range }).visits.has(visit)
  if (hasHitFilters(filters) || filters.goal) return false
  const values = Object.fromEntries(Object.keys(world.visits[0]?.values ?? {}).map(name => [name, '']))
  return passesSessionFilters({ values } as unknown as Visit, filters)
}

export const inDollars = ({ currency }: Pick<Moved, 'currency'>) => currency === 'USD'
export const revenueOf = (payments: Paid[]) =>
  sum(payments.filter(inDollars).map(paid => paid.amountMinor - paid.refundedMinor))
export const mrrOf = (movements: Moved[]) =>
  sum(movements.filter(inDollars).map(({ amountMinor }) => amountMinor))

/** The money fields of the overview of a site without a processor, and of the days before. */
export function recountMoneyOverview(world: World, { payments }: Money, query: Query) {
  const before = beforeOf(world, query)
  const periods = [query, before].map(each => spanOf(world, each))
  if (!payments.some(({ at }) => periods.some(period => isWithin(period, at)))) return [{}, {}]
  return [query, before].map((each, index) => {
    const kept = payments
      .filter(inDollars)
      .filter(paid => isWithin(periods[index]!, paid.at) && passes(world, each, paid.visit))
    return {
      revenue: revenueOf(kept),
      recurring_revenue: revenueOf(kept.filter(paid => paid.isRecurring)),
      payments: kept.filter(paid => paid.refundedMinor < paid.amountMinor).length,
    }
  })
}

/** Values of `revenue` or `mrr`, and of the days before, by bucket. */
export function recountMoneySeries(
  world: World,
  money: Money,
  metric: 'revenue' | 'mrr',
  query: SeriesQuery,
) {
  const { group, buckets, labels } = bucketing(world, query)
  const before = beforeOf(world, query)
  const bucketsBefore = bucketsOf(world.zone, before, group)
  const values = (asked: Query, parts: Period[]) =>
    parts.map(part => {
      const counts = ({ at, visit }: Moved) => isWithin(part, at) && passes(world, asked, visit)
      return metric === 'revenue'
        ? revenueOf(money.payments.filter(counts))
        : mrrOf(money.movements.filter(counts))
    })
  const previous = values(before, bucketsBefore)
  return {
    labels,
    values: values(query, buckets),
    previous: labels.map((_, index) => previous[index] ?? 0),
    ...comparisonOf(world, query, bucketsBefore),
    group,
  }
}

/** Revenue and MRR movements in the range of the sessions that have a value. */
export function recountMoneyOf(
  world: World,
  money: Money,
  dimension: Dimension | 'hour_of_week',
  value: string,
  query: Query,
): { revenue: number; mrr: number } {
  const { payments, movements } = moneyOf(world, money, dimension, value, query)
  return { revenue: revenueOf(payments), mrr: mrrOf(movements) }
}

/** Payments and MRR movements in the range of the sessions that have a value, in all currencies. */
export function moneyOf<Payment extends Paid, Movement extends Moved>(
  world: World,
  { payments, movements }: { payments: Payment[]; movements: Movement[] },
  dimension: Dimension | 'hour_of_week',
  value: string,
  query: Query,
): { payments: Payment[]; movements: Movement[] } {
  const period = spanOf(world, query)
  const kept = keptOf(world, query)
  const hasValue = (visit: Visit | undefined, at: number) =>
    dimension === 'hour_of_week'
      ? hourOfWeek(world.zone, at) === value
      : isHitDimension(dimension)
        ? kept.hits.some(hit => hit.visit === visit && hit.values[dimension] === value)
        : (visit?.values[dimension] ?? '') === value
  const counts = ({ at, visit }: Pick<Moved, 'at' | 'visit'>) =>
    isWithin(period, at) && passes(world, query, visit) && hasValue(visit, at)
  return { payments: payments.filter(counts), movements: movements.filter(counts) }
}
