import { z } from 'zod'
import { ratio } from '../../platform/lib/numbers.ts'
import { capped } from '../../platform/schema/amounts.ts'
import { count, decimal } from '../../platform/schema/fields.ts'
import type { Pool } from '../../platform/threads/pool.ts'
import {
  type MovementTotals,
  type RevenueTotals,
  runTask,
  type Window,
} from '../../storage/rollups/protocol.ts'

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
type Money = z.infer<z.ZodObject<typeof moneyFields>>

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
 * @see docs/metrics.md "Presence of money fields"
 */
export function presentMoney({ isConnected, periods }: SiteMoneyTotals, visitors: number[]): Money[] {
  const hasPayments = periods.some(({ revenue }) => revenue.recorded > 0)
  return periods.map(({ revenue, movements }, index) => ({
    ...(hasPayments && {
      revenue: capped(revenue.revenue),
      recurring_revenue: capped(revenue.recurring),
      payments: revenue.payments,
    }),
    ...(isConnected && {
      mrr: capped(movements.mrr),
      new_customers: revenue.newCustomers,
      conversion_rate: ratio(100 * revenue.newCustomers, visitors[index]!, 1),
      mrr_per_visitor: exactRatio(movements.mrrAtEnd, visitors[index]!),
    }),
  }))
}

/** Returns the ratio to the nearest minor unit; 0 without visitors. */
function exactRatio(amount: bigint, visitors: number): number {
  const rounded = ratio(amount, visitors, 0)
  return Number.isSafeInteger(rounded) ? rounded : capped(amount)
}
