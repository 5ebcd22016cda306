import { countPayment, noCounts } from '../../revenue/import/counts.ts'
import { presentCounts } from '../../revenue/import/present-import.ts'
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
  /** Payments by currency; amounts in minor units, before refunds. */
  payments: { currency: string; count: number; amount: number }[]
  first_payment: string | null
  last_payment: string | null
  /** The first 1,000 rows that were left out. */
  rejected: Rejected[]
  rejected_total: number
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
    shown(): MoneyFileResult {
      const { payments, first_payment, last_payment } = presentCounts(counts)
      return {
        dry_run: isDryRun,
        rows,
        payments,
        first_payment,
        last_payment,
        rejected,
        rejected_total: total,
      }
    },
  }
}
