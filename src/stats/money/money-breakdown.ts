import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { columnOf, DIMENSIONS, sectionOf } from '../../platform/dimensions/dimensions.ts'
import { presentRowAmount, rowAmountFields } from '../../platform/schema/amounts.ts'
import { count, label } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { compareTexts } from '../../storage/rollups/daily/value-dictionary.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { MoneyOfValue } from '../counts/money-by-value.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { sourceOf } from '../planner.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { requireSection } from '../sharing/grant.ts'

const SORTS = ['revenue', 'payments', 'customers', 'new_customers', 'mrr'] as const
type Sort = (typeof SORTS)[number]

export const MoneyBreakdownQuery = StatsQuery.safeExtend({
  dimension: z.enum(DIMENSIONS).meta({ description: 'What to break down by.' }),
  sort: z.enum(SORTS).default('revenue').meta({ description: 'Largest first; ties by revenue, then value.' }),
  ...pageFields(25),
})
export type MoneyBreakdownQuery = z.infer<typeof MoneyBreakdownQuery>

/** @see docs/metrics.md "Money by dimension" */
export const MoneyBreakdownRow = z
  .object({
    value: label('Value of the dimension; `(none)` for the empty one.', 'Google'),
    ...rowAmountFields('revenue', 'Payments less refunds, minor units.', 129_900),
    payments: count('Payments that are not wholly refunded.', 26),
    customers: count('Customers of these payments.', 20),
    new_customers: count('Customers whose first payment is among them, refunded or not.', 6),
    ...rowAmountFields('mrr', 'Change of MRR in the range, minor units.', 24_000),
  })
  .meta({ id: 'MoneyBreakdownRow' })
type MoneyBreakdownRow = z.infer<typeof MoneyBreakdownRow>

type Row = Omit<MoneyOfValue, 'revenue' | 'mrr'> & { revenue: string; mrr: string; total: number }

type Params = { currency: string; sort: string; limit: number; offset: number }

/** Without filters, from the sessions that money was attributed to: see `money_sessions`. */
const breakDownMoney = query<Params & { siteNo: number; start: Date; end: Date; column: string }, Row>(
  'break-down-money',
)

/**
 * Returns the money of the range by a dimension of the sessions that it is attributed to, the most first.
 * @throws AppError `forbidden` for a dimension of a section that the reader may not see
 */
export async function getMoneyBreakdown(
  services: StatsServices,
  site: StatsSite,
  { dimension, sort, ...query }: MoneyBreakdownQuery,
): Promise<Page<MoneyBreakdownRow>> {
  requireSection(services.grant, sectionOf(dimension))
  const { resolved } = await resolveContext(services, site, query)
  const { currency } = site
  const kept = keptPart(resolved)
  const { limit, offset } = windowOf(query)
  if (sourceOf('moneyByValue', resolved, dimension) === 'ledger') {
    const { siteNo, start, end } = kept
    const asked = { siteNo, start, end, currency, column: columnOf(dimension), sort }
    const rows = await breakDownMoney(services.reads, { ...asked, limit, offset })
    const [first] =
      rows.length > 0 || offset === 0
        ? rows
        : await breakDownMoney(services.reads, { ...asked, limit: 1, offset: 0 })
    return { rows: rows.map(present), total: first?.total ?? 0 }
  }
  const counted = await countAsked(services, kept, 'moneyByValue', {
    currency,
    dimension,
    zone: site.timezone,
  })
  const rows = sorted(counted, sort).slice(offset, offset + limit)
  return { rows: rows.map(present), total: counted.length }
}

function sorted(rows: MoneyOfValue[], sort: Sort): MoneyOfValue[] {
  const field = sort === 'new_customers' ? 'newCustomers' : sort
  const descending = (a: bigint | number, b: bigint | number) => Number(a < b) - Number(a > b)
  return rows.sort(
    (a, b) =>
      descending(a[field], b[field]) || descending(a.revenue, b.revenue) || compareTexts(a.value, b.value),
  )
}

const present = (row: Row | MoneyOfValue): MoneyBreakdownRow => ({
  value: row.value || '(none)',
  ...presentRowAmount('revenue', BigInt(row.revenue)),
  payments: row.payments,
  customers: row.customers,
  new_customers: row.newCustomers,
  ...presentRowAmount('mrr', BigInt(row.mrr)),
})
