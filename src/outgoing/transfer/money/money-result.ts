import { countPayment, noCounts, type Unreadable } from '../../../money/import/counts.ts'
import { presentCounts } from '../../../money/import/present-import.ts'
import type { MoneyRow } from './row-schema.ts'

/** A row that was left out. */
interface Rejected {
  file: string
  /** From 1, the row with the names of the columns included. */
  row: number
  error: string
}

/** What a file of payments and subscriptions has. */
export interface MoneyFileResult {
  dry_run: boolean
  /** Rows by their type. */
  rows: Record<MoneyRow['type'], number>
  /** Payments by currency; amounts in minor units, before refunds, as in `RevenueImport`. */
  payments: ReturnType<typeof presentCounts>['payments']
  first_payment: string | null
  last_payment: string | null
  /** The first 1,000 rows that were left out. */
  rejected: Rejected[]
  rejected_total: number
  /** The first hundred subscriptions and sales that were read and could not be derived. */
  underivable: Unreadable[]
  underivable_total: number
}

const MOST_NAMED = 1_000

/** Counts rows while a file is read. */
export function noResult(isDryRun: boolean) {
  const counts = noCounts()
  const rows = { payment: 0, refund: 0, subscription: 0 }
  const rejected: Rejected[] = []
  let total = 0
  return {
    count(row: MoneyRow): void {
      rows[row.type] += 1
      if (row.type === 'payment') {
        countPayment(counts, { amountMinor: row.amount, currency: row.currency }, row.at)
      }
    },
    reject(item: Rejected): void {
      total += 1
      if (rejected.length < MOST_NAMED) rejected.push(item)
    },
    isEmpty: () => total === 0 && Object.values(rows).every(count => count === 0),
    shown(underivable: { listed: Unreadable[]; total: number } = { listed: [], total: 0 }): MoneyFileResult {
      const { payments, first_payment, last_payment } = presentCounts(counts)
      return {
        dry_run: isDryRun,
        rows,
        payments,
        first_payment,
        last_payment,
        rejected,
        rejected_total: total,
        underivable: underivable.listed,
        underivable_total: underivable.total,
      }
    },
  }
}

/** Returns a result in the form in which the API shows imports. */
export function presentMoneyFile({ first_payment, last_payment, ...result }: MoneyFileResult): object {
  const reasons = new Map<string, number>()
  const left = [
    ...result.rejected.map(({ error }) => error),
    ...result.underivable.map(({ reason }) => reason),
  ]
  for (const reason of left) reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  return {
    dry_run: result.dry_run,
    period: first_payment && last_payment ? { from: first_payment, to: last_payment } : null,
    counts: result.rows,
    rejected: [...reasons].map(([reason, hits]) => ({ reason, hits })),
    rejected_total: result.rejected_total + result.underivable_total,
  }
}
