import { z } from 'zod'
import { query } from '../../db/query.ts'
import { columnOf, DIMENSIONS, isHitDimension, levelOf, sectionOf } from '../../dimensions/dimensions.ts'
import { presentRowAmount, rowAmountFields } from '../../money/amounts.ts'
import { compareTexts } from '../../rollups/daily/value-dictionary.ts'
import { count, label } from '../../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../schema/pagination.ts'
import { requireSection } from '../../sharing/grant.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { MoneyOfValue } from '../counts/money-by-value.ts'
import { StatsQuery } from '../filters/query.ts'
import { isUnfiltered, keptPart } from '../filters/resolved-query.ts'
import { hasManyPayments } from '../metrics/money.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'

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

/** Levels of what never changes of a session. */
const KEPT_LEVELS: ReadonlySet<string> = new Set(['session', 'session-row'])

type FilteredParams = Params & { bounds: Date[] }

const breakDownFilteredMoney = filteredQuery<FilteredParams, Row>('break-down-filtered-money', [
  'filtered_payments',
  'filtered_movements',
])

/** For a dimension of hits: the money of the sessions that have a filtered hit with the value. */
const breakDownMoneyOfHits = filteredQuery<FilteredParams, Row>('break-down-money-of-hits', [
  'filtered_hits',
  'filtered_payments',
  'filtered_movements',
])

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
  const isKept = isUnfiltered(resolved) && KEPT_LEVELS.has(levelOf(dimension))
  const { limit, offset } = windowOf(query)
  const asked = { currency, dimension, zone: site.timezone }
  const counted = isKept ? undefined : await countAsked(services, keptPart(resolved), 'moneyByValue', asked)
  if (counted) {
    const rows = sorted(counted, sort).slice(offset, offset + limit)
    return { rows: rows.map(present), total: counted.length }
  }
  const isMuch = !isKept && (await hasManyPayments(services, resolved))
  const read = (limit: number, offset: number): Promise<Row[]> => {
    const params = { currency, sort, limit, offset }
    if (isKept) {
      const { siteNo, start, end } = keptPart(resolved)
      return breakDownMoney(services.reads, { ...params, siteNo, start, end, column: columnOf(dimension) })
    }
    const run = isHitDimension(dimension) ? breakDownMoneyOfHits : breakDownFilteredMoney
    return run(services.reads, resolved, {
      params: { ...params, bounds: [keptPart(resolved).start] },
      value: dimension,
      hasManyPayments: isMuch,
    })
  }
  const rows = await read(limit, offset)
  const [first] = rows.length > 0 || offset === 0 ? rows : await read(1, 0)
  return { rows: rows.map(present), total: first?.total ?? 0 }
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
