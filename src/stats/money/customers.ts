import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { presentRowAmount, rowAmountFields } from '../../platform/schema/amounts.ts'
import { count, label, timestamp } from '../../platform/schema/fields.ts'
import { type Page, pageFields } from '../../platform/schema/pagination.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { FirstVisit, FirstVisitQuery, type FirstVisitRow, presentFirstVisit } from './first-visit.ts'
import { orderField, readListPage, searchField, type Wanted, type Window } from './list-page.ts'
import { payerKey, payerMail } from './payer-mail.ts'

const STATUSES = ['active', 'churned', 'one_time'] as const
const CustomerStatus = z.enum(STATUSES)

export const CustomersQuery = FirstVisitQuery.safeExtend({
  ...searchField,
  status: CustomerStatus.optional().meta({
    description: '`active`: with MRR. `churned`: had MRR. `one_time`: never had MRR.',
  }),
  sort: z
    .enum(['revenue', 'payments', 'mrr', 'first_payment', 'last_payment', 'first_visit'])
    .default('revenue')
    .meta({ description: 'What to sort by; customers without a value come last.' }),
  ...orderField,
  ...pageFields(25),
})
export type CustomersQuery = z.infer<typeof CustomersQuery>

/** @see docs/metrics.md "Customers" */
export const Customer = z
  .object({
    id: label(
      'Key of the customer: `c:` and the id, `e:` and the e-mail address (for viewers something in its place), `v:`, `p:` or `s:`.',
      'c:c-42',
    ),
    customer_id: label('Id of the customer in your system or at the processor.', 'c-42').nullable(),
    email: label('Of the newest payment. Null for viewers.', 'ada@example.com').nullable(),
    name: label('Of the newest payment.', 'Ada Lovelace').nullable(),
    status: CustomerStatus.meta({ description: 'Whether it has MRR, had MRR, or never had any.' }),
    payments: count('Payments that are not wholly refunded.', 3),
    ...rowAmountFields('revenue', 'Payments less refunds, minor units.', 14_997),
    ...rowAmountFields('mrr', 'Of its subscriptions, minor units.', 4_999),
    subscriptions: count('Subscriptions with MRR above 0.', 1),
    first_payment_at: timestamp('Of the first payment, refunded or not.').nullable(),
    last_payment_at: timestamp('Of the newest payment, refunded or not.').nullable(),
    subscribed_at: timestamp('When its MRR first rose above 0.').nullable(),
    first_visit: FirstVisit.nullable().meta({
      description: 'First visit of the customer; null when unknown.',
    }),
  })
  .meta({ id: 'Customer' })
type Customer = z.infer<typeof Customer>

interface CustomerRow extends FirstVisitRow {
  customer: string
  email: string | null
  name: string | null
  payments: number
  revenue: string
  mrr: string
  subscriptions: number
  firstPaidAt: Date | null
  lastPaidAt: Date | null
  subscribedAt: Date | null
}

const listCustomers = query<Wanted & Window, CustomerRow>('list-customers')

const countCustomers = query<Wanted, { total: number }>(
  'count-customers',
  'select count(*) as total from ({wanted_customers}) as wanted',
)

/**
 * Returns a page of the customers that ever paid or had MRR in the site's currency.
 * @throws AppError as `readListPage`
 */
export async function getCustomers(
  services: StatsServices,
  site: StatsSite,
  query: CustomersQuery,
): Promise<Page<Customer>> {
  const statements = { list: listCustomers, count: countCustomers }
  const { rows, total } = await readListPage(services, site, query, statements)
  return { rows: rows.map(row => present(row, services)), total }
}

const present = (row: CustomerRow, services: StatsServices): Customer => ({
  id: payerKey(services, row.customer),
  customer_id: row.customer.startsWith('c:') ? row.customer.slice(2) : null,
  email: payerMail(services, row.email),
  name: row.name,
  status: BigInt(row.mrr) > 0n ? 'active' : row.subscribedAt ? 'churned' : 'one_time',
  payments: row.payments,
  ...presentRowAmount('revenue', BigInt(row.revenue)),
  ...presentRowAmount('mrr', BigInt(row.mrr)),
  subscriptions: row.subscriptions,
  first_payment_at: row.firstPaidAt?.toISOString() ?? null,
  last_payment_at: row.lastPaidAt?.toISOString() ?? null,
  subscribed_at: row.subscribedAt?.toISOString() ?? null,
  first_visit: presentFirstVisit(row, services.grant),
})
