import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { sectionOf } from '../../platform/dimensions/dimensions.ts'
import { FIRST_VISIT_DIMENSIONS } from '../../platform/dimensions/first-visit.ts'
import { roundedQuotient } from '../../platform/lib/numbers.ts'
import { presentRowAmount, rowAmountFields } from '../../platform/schema/amounts.ts'
import { count, label } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { requireSection } from '../sharing/grant.ts'
import { FirstVisitQuery, type OfFirstVisit, resolveFirstVisit } from './first-visit.ts'

export const LifetimeValueQuery = FirstVisitQuery.safeExtend({
  dimension: z.enum(FIRST_VISIT_DIMENSIONS).meta({ description: 'Of the first visit of each customer.' }),
  ...pageFields(25),
})
export type LifetimeValueQuery = z.infer<typeof LifetimeValueQuery>

/** @see docs/metrics.md "Lifetime value by first visit" */
export const LifetimeValueRow = z
  .object({
    value: label('Value of the dimension; `(none)` for the empty one and without a first visit.', 'Google'),
    customers: count('Customers who ever paid or had MRR.', 12),
    ...rowAmountFields('revenue', 'All their payments less refunds, minor units.', 120_000),
    ...rowAmountFields('lifetime_value', '`revenue` ÷ `customers`, whole minor units.', 10_000),
    ...rowAmountFields('mrr', 'Their MRR now, minor units.', 24_000),
  })
  .meta({ id: 'LifetimeValueRow' })
type LifetimeValueRow = z.infer<typeof LifetimeValueRow>

const sumByFirstVisit = query<
  OfFirstVisit & { currency: string; dimension: string; limit: number; offset: number },
  { value: string; customers: number; revenue: string; mrr: string; total: number }
>(
  'sum-by-first-visit',
  `select
    value, count(*) as customers, sum(revenue_minor)::text as revenue, sum(mrr_minor)::text as mrr, count(*) over () as total
  from (
    select revenue_minor, mrr_minor, case :dimension::text {first_visit_choice} end as value
    from customers
    where site_no = :siteNo::int and currency = :currency::text and {first_visit_passes}
  ) as customer
  group by value
  order by sum(revenue_minor) desc, count(*) desc, value
  limit :limit::bigint
  offset :offset::bigint`,
)

/**
 * Returns what customers have paid to date, by a value of their first visit, the most revenue first.
 * @throws AppError `forbidden` for a dimension of a section that the reader may not see; as `resolveFirstVisit`
 */
export async function getLifetimeValue(
  { reads, ...services }: StatsServices,
  site: StatsSite,
  { dimension, ...query }: LifetimeValueQuery,
): Promise<Page<LifetimeValueRow>> {
  requireSection(services.grant, sectionOf(dimension))
  const ofFirstVisit = resolveFirstVisit(services, site, query)
  const read = (limit: number, offset: number) =>
    sumByFirstVisit(reads, { ...ofFirstVisit, currency: site.currency, dimension, limit, offset })
  const { limit, offset } = windowOf(query)
  const rows = await read(limit, offset)
  const [first] = rows.length > 0 || offset === 0 ? rows : await read(1, 0)
  return {
    rows: rows.map(row => ({
      value: row.value || '(none)',
      customers: row.customers,
      ...presentRowAmount('revenue', BigInt(row.revenue)),
      ...presentRowAmount('lifetime_value', roundedQuotient(BigInt(row.revenue), row.customers)),
      ...presentRowAmount('mrr', BigInt(row.mrr)),
    })),
    total: first?.total ?? 0,
  }
}
