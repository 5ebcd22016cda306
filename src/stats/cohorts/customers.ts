import { capped } from '../../money/amounts.ts'
import { boundsOf } from '../../time/range.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import type { Calendar } from './calendar.ts'

interface Params {
  siteNo: number
  currency: string
  bounds: readonly Date[]
  /** One time. */
  until: readonly Date[]
}

const countReturningPayers = filteredQuery<Params, { began: number; came: number | null; customers: number }>(
  'count-returning-payers',
  ['filtered_payments'],
)

const sumKeptMrr = filteredQuery<Params, { began: number; came: number; mrr: string }>('sum-kept-mrr', [
  'filtered_payments',
])

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
  const rows = await countReturningPayers(services.reads, cohorts.resolved, {
    params: paramsOf(site, cohorts),
  })
  const { sizes, kept } = empty(cohorts)
  for (const { began, came, customers } of rows) {
    if (came === null) sizes[began - 1] = customers
    else if (came - began <= cohorts.later) kept[began - 1]![came - began - 1] = customers
  }
  return { sizes, bases: sizes, kept }
}

/** Returns the MRR of the same customers at the end of each period. */
export async function sumMrr(
  services: StatsServices,
  site: StatsSite,
  cohorts: CustomerCohorts,
): Promise<Customers> {
  const params = paramsOf(site, cohorts)
  const [{ sizes }, rows] = await Promise.all([
    countPayers(services, site, cohorts),
    sumKeptMrr(services.reads, cohorts.resolved, { params }),
  ])
  const movedIn = new Map(rows.map(({ began, came, mrr }) => [`${began} ${came}`, BigInt(mrr)]))
  const { kept, bases } = empty(cohorts)
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

const paramsOf = ({ siteNo, currency }: StatsSite, { calendar: { periods } }: CustomerCohorts): Params => ({
  siteNo,
  currency,
  bounds: boundsOf(periods),
  until: [periods.at(-1)!.end],
})

const empty = ({ calendar: { labels }, later }: CustomerCohorts) => ({
  sizes: labels.map(() => 0),
  bases: labels.map(() => 0),
  kept: labels.map(() => new Array<number>(later).fill(0)),
})
