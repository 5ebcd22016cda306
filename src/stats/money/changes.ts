import { z } from 'zod'
import { presentRowAmount, rowAmountFields } from '../../money/amounts.ts'
import { label, timestamp } from '../../schema/fields.ts'
import { type Page, pageFields, windowOf } from '../../schema/pagination.ts'
import { requireSection } from '../../sharing/grant.ts'
import { StatsQuery } from '../filters/query.ts'
import { keptPart } from '../filters/resolved-query.ts'
import { resolveContext, type StatsServices, type StatsSite } from '../query-context.ts'
import { filteredQuery } from '../sql/filtered-query.ts'
import { CHANGE_KINDS, type ChangeKind } from './mrr-changes.ts'
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

interface Row {
  customer: string
  at: Date
  amount: string
  name: string | null
  email: string | null
  kind: ChangeKind
  total: number
}

const listMrrChanges = filteredQuery<
  { currency: string; bounds: Date[]; limit: number; offset: number },
  Row
>('list-mrr-changes', ['filtered_movements'])

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
  const read = (limit: number, offset: number) =>
    listMrrChanges(services.reads, resolved, {
      params: { currency: site.currency, bounds: [keptPart(resolved).start], limit, offset },
    })
  const { limit, offset } = windowOf(query)
  const rows = await read(limit, offset)
  const [first] = rows.length > 0 || offset === 0 ? rows : await read(1, 0)
  return { rows: rows.map(row => present(services, row)), total: first?.total ?? 0 }
}

const present = (services: StatsServices, { customer, at, amount, name, email, kind }: Row): MrrChange => ({
  at: at.toISOString(),
  customer: payerKey(services, customer),
  email: payerMail(services, email),
  name,
  kind,
  ...presentRowAmount('amount', BigInt(amount)),
})
