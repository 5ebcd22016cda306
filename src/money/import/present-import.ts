import { z } from 'zod'
import type { Db, Queryable } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { presentRowAmount, rowAmountFields } from '../../platform/schema/amounts.ts'
import { label, timestamp } from '../../platform/schema/fields.ts'
import { dayOf, isCalendarDate, startOfDay } from '../../platform/time/local-time.ts'
import { type ImportCounts, MOST_NAMED } from './counts.ts'
import { findUnderivable } from './derive-work.ts'
import { findImport, type ImportRow, startImport } from './import-row.ts'
import { connectionToRead, type ImportServices } from './import-site.ts'
import { PHASES } from './phases.ts'
import { BEGINNING } from './run-import.ts'

const count = (description: string) => z.int().meta({ description, example: 0 })

export const StartImport = z.object({
  from: z
    .string()
    .refine(isCalendarDate, 'must be a date of the years from 1970, written YYYY-MM-DD')
    .optional()
    .meta({
      description: "First day of payments to read, in the site's zone; all without it.",
      example: '2024-01-01',
    }),
})
export type StartImport = z.infer<typeof StartImport>

export const RevenueImport = z
  .object({
    state: z.enum(['running', 'finished', 'failed']).meta({ description: 'Whether it still works.' }),
    phase: z
      .enum([...PHASES, 'deriving', 'done'])
      .meta({ description: 'What it reads now; `deriving` makes payments and movements of it.' }),
    from: timestamp('Payments before it are not read.').nullable(),
    started_at: timestamp('When it was started.'),
    finished_at: timestamp('When it finished or failed.').nullable(),
    failure: label('Why it failed, or why it waits.', 'The API key may not read Invoices').nullable(),
    retry_at: timestamp('When it tries again.').nullable(),
    read: z
      .object({
        customers: count('Customers.'),
        coupons: count('Coupons.'),
        prices: count('Recurring prices.'),
        events: count('Events of subscriptions that Stripe still has.'),
        subscriptions: count('Subscriptions, cancelled ones too.'),
        charges: count('Successful charges.'),
        refunded: count('Charges that were refunded, in part or wholly.'),
        prorations: count('Prorated changes.'),
        invoices: count('Invoices, without drafts.'),
        checkouts: count('Completed checkouts.'),
      })
      .meta({ description: 'Objects that were read.' }),
    payments: z
      .array(
        z.object({
          currency: label('ISO 4217.', 'USD'),
          count: count('Payments.'),
          ...rowAmountFields('amount', 'Minor units, before refunds.', 0),
        }),
      )
      .meta({ description: 'Payments that were found, by currency.' }),
    first_payment: timestamp('Time of the first payment.').nullable(),
    last_payment: timestamp('Time of the last payment.').nullable(),
    unreadable: z
      .array(
        z.object({ id: label('Of the object.', 'in_1'), reason: label('Why.', 'amount_paid is required') }),
      )
      .meta({ description: 'The first hundred objects that were left out.' }),
    unreadable_total: count('Objects that were left out.'),
  })
  .meta({ id: 'RevenueImport' })
export type RevenueImport = z.infer<typeof RevenueImport>

/** Counts as answers show them. */
export function presentCounts(counts: ImportCounts) {
  const payments = Object.entries(counts.payments)
    .map(([currency, { count, amount }]) => ({
      currency,
      count,
      ...presentRowAmount('amount', BigInt(amount)),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
  return { ...counts, payments }
}

/** What could not be derived of what was read is among `unreadable`, too. */
export async function presentImport(db: Queryable, row: ImportRow): Promise<RevenueImport> {
  const { siteNo, state, phase, failure, counts } = row
  const { listed, total } = await findUnderivable(db, siteNo)
  const at = (time: Date | null) => time?.toISOString() ?? null
  return {
    state,
    phase,
    from: at(row.fromAt),
    started_at: row.startedAt.toISOString(),
    finished_at: at(row.finishedAt),
    failure,
    retry_at: at(row.retryAt),
    ...presentCounts(counts),
    unreadable: [...counts.unreadable, ...listed].slice(0, MOST_NAMED),
    unreadable_total: counts.unreadable_total + total,
  }
}

/** Returns the first moment of a day in the site's zone. */
export const fromDay = (zone: string, day: string | undefined): Date | null =>
  day === undefined ? null : new Date(startOfDay(zone, dayOf(day)))

/**
 * Starts the import of a site in the service, or returns the one that runs.
 * @throws AppError `not_found` without a connected processor, `bad_request` without an API key
 */
export async function beginImport(
  services: Pick<ImportServices, 'db' | 'config' | 'now'>,
  site: { id: string; siteNo: number; timezone: string },
  { from }: StartImport,
): Promise<RevenueImport> {
  await connectionToRead(services, site.id)
  const fromAt = fromDay(site.timezone, from)
  const given = { siteNo: site.siteNo, fromAt, ...BEGINNING(), now: services.now() }
  return presentImport(services.db, await startImport(services.db, given))
}

/** @throws AppError `not_found` when none was ever started */
export async function getImport({ db }: { db: Db }, { siteNo }: { siteNo: number }): Promise<RevenueImport> {
  const row = await findImport(db, siteNo)
  if (!row) throw new AppError('not_found', 'No import of this site was started')
  return presentImport(db, row)
}
