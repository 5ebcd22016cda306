import { query } from '../../platform/db/query.ts'
import { capped } from '../../platform/schema/amounts.ts'
import { boundsOf } from '../../platform/time/range.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import type { Calendar } from './calendar.ts'

/** Customers, and the number of the period in which each paid first, from 1. */
interface Members {
  customers: string[]
  began: number[]
}

type Params = Members & { siteNo: number; currency: string; bounds: readonly Date[]; until: Date }

/** By the period of later payments. Periods are numbered from 1. */
const countReturningPayers = query<Params, { began: number; came: number; customers: number }>(
  'count-returning-payers',
  `select began, came, count(distinct customer)::int as customers
  from (
    select member.customer, member.began, width_bucket(paid_at, :bounds::timestamptz[]) as came
    from unnest(:customers::text[], :began::int[]) as member (customer, began)
    join payments
      on payments.site_no = :siteNo::int and payments.currency = :currency::text and payments.customer = member.customer
    where payments.refunded_minor < payments.amount_minor
      and paid_at >= (:bounds::timestamptz[])[1] and paid_at < :until::timestamptz
  ) as paid
  where came > began
  group by began, came`,
)

const sumKeptMrr = query<Params, { began: number; came: number; mrr: string }>('sum-kept-mrr')

/** Cohorts of customers. */
interface Customers {
  sizes: number[]
  bases: number[]
  /** Of each cohort, of each later period. */
  kept: number[][]
}

interface CustomerCohorts {
  /** Of the range. */
  resolved: ResolvedQuery
  calendar: Calendar
  later: number
}

/** Returns how many customers paid first in each period of the range, and how many of them paid in later ones. */
export async function countPayers(
  services: StatsServices,
  site: StatsSite,
  cohorts: CustomerCohorts,
): Promise<Customers> {
  const members = await findMembers(services, site, cohorts)
  const rows = await countReturningPayers(services.reads, paramsOf(site, cohorts, members))
  const { kept } = empty(cohorts)
  const sizes = sizesOf(members, cohorts)
  for (const { began, came, customers } of rows) {
    if (came - began <= cohorts.later) kept[began - 1]![came - began - 1] = customers
  }
  return { sizes, bases: sizes, kept }
}

/** Returns the MRR of the same customers at the end of each period. */
export async function sumMrr(
  services: StatsServices,
  site: StatsSite,
  cohorts: CustomerCohorts,
): Promise<Customers> {
  const members = await findMembers(services, site, cohorts)
  const rows = await sumKeptMrr(services.reads, paramsOf(site, cohorts, members))
  const movedIn = new Map(rows.map(({ began, came, mrr }) => [`${began} ${came}`, BigInt(mrr)]))
  const { kept, bases } = empty(cohorts)
  const sizes = sizesOf(members, cohorts)
  for (const cohort of sizes.keys()) {
    let mrr = 0n
    for (let later = 0; later <= cohorts.later; later++) {
      mrr += movedIn.get(`${cohort + 1} ${cohort + 1 + later}`) ?? 0n
      if (later === 0) bases[cohort] = capped(mrr)
      else kept[cohort]![later - 1] = capped(mrr)
    }
  }
  return { sizes, bases, kept }
}

/** Returns the customers whose first payment, in the range, passes the filters. */
async function findMembers(
  services: StatsServices,
  { currency }: StatsSite,
  { resolved, calendar: { periods } }: CustomerCohorts,
): Promise<Members> {
  const found = await countAsked(services, resolved, 'firstPayers', { currency, bounds: edgesOf(periods) })
  return {
    customers: found.map(({ customer }) => customer),
    began: found.map(({ bucket }) => bucket + 1),
  }
}

function sizesOf({ began }: Members, cohorts: CustomerCohorts): number[] {
  const { sizes } = empty(cohorts)
  for (const number of began) sizes[number - 1]! += 1
  return sizes
}

const paramsOf = (
  { siteNo, currency }: StatsSite,
  { calendar: { periods } }: CustomerCohorts,
  members: Members,
): Params => ({
  ...members,
  siteNo,
  currency,
  bounds: boundsOf(periods),
  until: periods.at(-1)!.end,
})

const empty = ({ calendar: { labels }, later }: CustomerCohorts) => ({
  sizes: labels.map(() => 0),
  bases: labels.map(() => 0),
  kept: labels.map(() => new Array<number>(later).fill(0)),
})
