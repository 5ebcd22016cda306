import { z } from 'zod'
import { invalidField } from '../errors.ts'
import { count, decimal } from '../infra/fields.ts'
import type { Pool } from '../infra/pool.ts'
import { type MovementTotals, type RevenueTotals, runTask, type Window } from '../rollups/protocol.ts'
import { ratio } from '../stats/numbers.ts'

/** `presentMoney` decides which fields are present; amounts are minor units of the site's currency. */
export const moneyFields = {
  revenue: z.int().optional().meta({
    description:
      'Payments less refunds, in minor units. There when this or the previous period has a payment.',
    example: 49_990,
  }),
  recurring_revenue: z
    .int()
    .optional()
    .meta({ description: 'The recurring part of `revenue`; there when that is.', example: 29_990 }),
  payments: count('Payments; there when `revenue` is.', 10).optional(),
  mrr: z.int().optional().meta({
    description:
      'Net change of monthly recurring revenue, in minor units. There when a processor is connected.',
    example: 12_000,
  }),
  new_customers: count('Customers whose first payment is in the range; there when `mrr` is.', 5).optional(),
  conversion_rate: decimal(
    'New customers among visitors, percent, one decimal; there when `mrr` is. Under a goal filter: visitors who converted ' +
      'among all, and always there.',
    3.9,
  ).optional(),
  mrr_per_visitor: z.int().optional().meta({
    description:
      'Monthly recurring revenue at the end of the range by visitor, in minor units; there when `mrr` is.',
    example: 780,
  }),
}
const Money = z.object(moneyFields)
type Money = z.infer<typeof Money>

/** Payments and MRR movements of a site in some periods. */
export interface SiteMoneyTotals {
  /** Whether a payment processor is connected. */
  isConnected: boolean
  periods: { revenue: RevenueTotals; movements: MovementTotals }[]
}

/** Reads payments and MRR movements of a site in some windows. */
export async function readMoney(
  rollups: Pool,
  site: { siteNo: number; currency: string },
  windows: Window[],
): Promise<SiteMoneyTotals> {
  const input = { siteNo: site.siteNo, currency: site.currency, windows }
  const [[revenue], movements] = await Promise.all([
    runTask(rollups, 'countRevenue', [input]),
    runTask(rollups, 'countMovements', input),
  ])
  return {
    isConnected: movements.isConnected,
    periods: windows.map((_, index) => ({
      revenue: revenue![index]!,
      movements: movements.windows[index]!,
    })),
  }
}

/**
 * Returns the money fields of the overview, one object for each period: revenue when any of the periods has a payment, in any
 * currency and refunded or not; MRR and customers when a processor is connected.
 * @param visitors number of visitors of each period
 * @throws AppError `validation_failed` when an amount is beyond 2^53 − 1
 * @see spec.md "Site overview object"
 */
export function presentMoney({ isConnected, periods }: SiteMoneyTotals, visitors: number[]): Money[] {
  const hasPayments = periods.some(({ revenue }) => revenue.recorded > 0)
  return periods.map(({ revenue, movements }, index) => ({
    ...(hasPayments && {
      revenue: exactMinor(revenue.revenue),
      recurring_revenue: exactMinor(revenue.recurring),
      payments: revenue.payments,
    }),
    ...(isConnected && {
      mrr: exactMinor(movements.mrr),
      new_customers: revenue.newCustomers,
      conversion_rate: ratio(100 * revenue.newCustomers, visitors[index]!, 1),
      mrr_per_visitor: exactRatio(movements.mrrAtEnd, visitors[index]!),
    }),
  }))
}

/**
 * Converts an amount to a number without loss.
 * @throws AppError `validation_failed` beyond 2^53 − 1
 */
export function exactMinor(amount: bigint): number {
  if (!isExact(amount)) {
    throw invalidField(
      'range',
      'Amounts of this range are beyond 2^53 − 1 minor units, which JSON numbers do not carry exactly: ask for a shorter one',
    )
  }
  return Number(amount)
}

const EXACT_REVENUE =
  'Every digit of `revenue` where it is beyond 2^53 − 1, which JSON numbers do not carry exactly'

/** Every digit of a row's revenue; absent when `revenue` is exact. */
const exactRevenue = (whatRevenueIs: string) =>
  z
    .string()
    .optional()
    .meta({ description: `${EXACT_REVENUE}: ${whatRevenueIs}. Else absent.`, example: '18014398509481982' })

/** Revenue fields for the rows of a list: one amount beyond 2^53 − 1 must not make the whole response fail. */
export const rowRevenueFields = (description: string, example: number) => ({
  revenue: count(
    `${description} Null where it is beyond 2^53 − 1: see \`revenue_exact\`.`,
    example,
  ).nullable(),
  revenue_exact: exactRevenue('`revenue` is null then'),
})

/** Revenue fields for clients that expect a whole number: a larger amount is shown as 2^53 − 1. */
export const cappedRevenueFields = (description: string, example: number) => ({
  revenue: z.int().meta({
    description: `${description} At most 2^53 − 1: see \`revenue_exact\`.`,
    example,
  }),
  revenue_exact: exactRevenue('`revenue` is 2^53 − 1 then'),
})

/** Returns an amount in the form of `rowRevenueFields`. */
export const presentRowRevenue = (amount: bigint): { revenue: number | null; revenue_exact?: string } =>
  isExact(amount) ? { revenue: Number(amount) } : { revenue: null, revenue_exact: String(amount) }

/** Returns an amount in the form of `cappedRevenueFields`. */
export const presentCappedRevenue = (amount: bigint): { revenue: number; revenue_exact?: string } => ({
  revenue: capped(amount),
  ...(!isExact(amount) && { revenue_exact: String(amount) }),
})

/** Returns the nearest exact number. */
export function capped(amount: bigint): number {
  if (isExact(amount)) return Number(amount)
  return amount < 0n ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER
}

const isExact = (amount: bigint): boolean => Number.isSafeInteger(Number(amount))

/** Returns the ratio to the nearest minor unit; 0 without visitors. */
function exactRatio(amount: bigint, visitors: number): number {
  const rounded = ratio(amount, visitors, 0)
  return Number.isSafeInteger(rounded) ? rounded : exactMinor(amount)
}
