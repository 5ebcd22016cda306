import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { presentRowAmount, rowAmountFields } from '../../platform/schema/amounts.ts'
import { flag, label, timestamp } from '../../platform/schema/fields.ts'
import { type Page, pageFields } from '../../platform/schema/pagination.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'
import { FirstVisit, FirstVisitQuery, type FirstVisitRow, presentFirstVisit } from './first-visit.ts'
import { orderField, readListPage, searchField, type Wanted, type Window } from './list-page.ts'
import { payerMail } from './payer-mail.ts'

const STATUSES = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] as const

export const SubscriptionsQuery = FirstVisitQuery.safeExtend({
  ...searchField,
  status: z.enum(STATUSES).optional().meta({ description: "The processor's status." }),
  sort: z
    .enum(['mrr', 'started', 'ended'])
    .default('mrr')
    .meta({ description: 'What to sort by; subscriptions without a value come last.' }),
  ...orderField,
  ...pageFields(25),
})
export type SubscriptionsQuery = z.infer<typeof SubscriptionsQuery>

/** @see docs/metrics.md "Subscriptions" */
export const SubscriptionRow = z
  .object({
    subscription_id: label('Id at the processor.', 'sub_1Pz0001'),
    customer_id: label('Id of the customer at the processor.', 'cus_1Pz0001').nullable(),
    email: label("Of the customer's newest payment. Null for viewers.", 'ada@example.com').nullable(),
    name: label("Of the customer's newest payment.", 'Ada Lovelace').nullable(),
    status: label("The processor's status.", 'active'),
    is_ending: flag('Whether its end is scheduled.'),
    ...rowAmountFields('mrr', 'Minor units; 0 while it does not count.', 4_999),
    started_at: timestamp('When it first counted.').nullable(),
    ended_at: timestamp('When it stopped counting; null while it counts.').nullable(),
    first_visit: FirstVisit.nullable().meta({
      description: 'First visit of the customer; null when unknown.',
    }),
  })
  .meta({ id: 'SubscriptionRow' })
type SubscriptionRow = z.infer<typeof SubscriptionRow>

interface Row extends FirstVisitRow {
  subscriptionId: string
  customerId: string | null
  email: string | null
  name: string | null
  status: string
  isEnding: boolean
  mrr: string
  startedAt: Date | null
  endedAt: Date | null
}

const listSubscriptions = query<Wanted & Window, Row>('list-subscriptions')

const countSubscriptions = query<Wanted, { total: number }>(
  'count-subscriptions',
  'select count(*) as total from ({wanted_subscriptions}) as wanted',
)

/**
 * Returns a page of the subscriptions in the site's currency, as they are now.
 * @throws AppError as `readListPage`
 */
export async function getSubscriptions(
  services: StatsServices,
  site: StatsSite,
  query: SubscriptionsQuery,
): Promise<Page<SubscriptionRow>> {
  const statements = { list: listSubscriptions, count: countSubscriptions }
  const { rows, total } = await readListPage(services, site, query, statements)
  return { rows: rows.map(row => present(row, services)), total }
}

const present = (row: Row, services: StatsServices): SubscriptionRow => ({
  subscription_id: row.subscriptionId,
  customer_id: row.customerId,
  email: payerMail(services, row.email),
  name: row.name,
  status: row.status,
  is_ending: row.isEnding,
  ...presentRowAmount('mrr', BigInt(row.mrr)),
  started_at: row.startedAt?.toISOString() ?? null,
  ended_at: row.endedAt?.toISOString() ?? null,
  first_visit: presentFirstVisit(row, services.grant),
})
