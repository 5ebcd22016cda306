import { z } from 'zod'
import { query } from '../../platform/db/query.ts'
import { presentRowAmount, rowAmountFields } from '../../platform/schema/amounts.ts'
import { label, timestamp } from '../../platform/schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../platform/schema/pagination.ts'
import { countAsked } from '../counts/count-filtered.ts'
import type { MrrChange as CountedChange } from '../counts/mrr.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { StatsQuery } from '../filters/stats-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { requireSection } from '../sharing/grant.ts'
import { CHANGE_KINDS } from './mrr-changes.ts'
import { payerKey, payerMail } from './payer-mail.ts'

export const MrrChangesQuery = StatsQuery.safeExtend(pageFields(25))
export type MrrChangesQuery = z.infer<typeof MrrChangesQuery>

/** @see docs/metrics.md "MRR change of a customer" */
export const MrrChange = z
  .object({
    at: timestamp('When it changed.'),
    customer: label('Key of the customer, as in the list of customers.', 'c:cus_1Pz0001'),
    email: label('Of the newest payment. Null for viewers.', 'ada@example.com').nullable(),
    name: label('Of the newest payment.', 'Ada Lovelace').nullable(),
    kind: z.enum(CHANGE_KINDS).meta({ description: 'What happened.', example: 'expansion' }),
    ...rowAmountFields('amount', 'By how much, minor units.', 1_500),
  })
  .meta({ id: 'MrrChange' })
type MrrChange = z.infer<typeof MrrChange>

/** Of the newest payment of a customer. */
interface Named {
  name: string | null
  email: string | null
}

const nameCustomers = query<
  { siteNo: number; currency: string; customers: string[] },
  Named & { customer: string }
>(
  'name-customers',
  `select customer, name, email
  from customers
  where site_no = :siteNo::int and currency = :currency::text and customer = any(:customers::text[])`,
)

/**
 * Returns a page of the changes of MRR in the range, the newest first.
 * @throws AppError `forbidden` for readers who may not see people
 */
export async function getMrrChanges(
  services: StatsServices,
  site: StatsSite,
  query: MrrChangesQuery,
): Promise<Page<MrrChange>> {
  requireSection(services.grant, 'people')
  const { resolved } = await resolveContext(services, site, query)
  const { limit, offset } = windowOf(query)
  const asked = { currency: site.currency, limit, offset }
  const counted = await countAsked(services, keptPart(resolved), 'mrrChanges', asked)
  return { ...counted, rows: await withNames(services, site, counted.rows) }
}

async function withNames(
  services: StatsServices,
  { siteNo, currency }: StatsSite,
  changes: readonly CountedChange[],
): Promise<MrrChange[]> {
  const customers = [...new Set(changes.map(({ customer }) => customer))]
  const found = await nameCustomers(services.reads, { siteNo, currency, customers })
  const names = new Map(found.map(row => [row.customer, row]))
  return changes.map(change => present(services, change, names.get(change.customer)))
}

const present = (
  services: StatsServices,
  { customer, at, amount, kind }: CountedChange,
  { name, email }: Named = { name: null, email: null },
): MrrChange => ({
  at: new Date(at).toISOString(),
  customer: payerKey(services, customer),
  email: payerMail(services, email),
  name,
  kind,
  ...presentRowAmount('amount', amount),
})
