import type { Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import { AppError } from '../../platform/errors.ts'
import { attributeAll, awaitVisitor } from '../../storage/events/attribution.ts'
import { customerOf, NEW_PAYMENT_COLUMNS, type NewPayment, type PaymentRecord, refundOf } from './payment.ts'
import { serviceEventsOf, setFirstOfCustomer, shareCurrency } from './record-payment.ts'
import { markTimes, writeServiceEvents } from './service-events.ts'

/** A payment under whose id one is recorded already is left out. */
const insertPayments = query<{ siteNo: number; rows: string }, PaymentRecord>(
  'insert-payments',
  `insert into payments (
    site_no, transaction_id, amount_minor, refunded_minor, currency, visitor_id, session_id, email, name, customer_id,
    renewal, refunded, is_free_trial, recurring, paid_at, source, customer
  )
  select
    :siteNo::int, "transactionId", "amountMinor", "refundedMinor", currency, "visitorId", null, email, name,
    "customerId", renewal, refunded, "isFreeTrial", recurring, "paidAt", source, customer
  from jsonb_to_recordset(:rows::text::jsonb) as given (
    "transactionId" text, "amountMinor" bigint, "refundedMinor" bigint, currency text, "visitorId" uuid, email text,
    name text, "customerId" text, renewal boolean, refunded boolean, "isFreeTrial" boolean, recurring boolean,
    "paidAt" timestamptz, source text, customer text
  )
  on conflict (site_no, transaction_id) do nothing
  returning ${NEW_PAYMENT_COLUMNS}`,
)

/** An id under which another payment was recorded stays with that payment. */
const insertAliases = query<{ siteNo: number; rows: string }>(
  'insert-aliases-of-payments',
  `insert into payment_aliases (site_no, transaction_id, payment_id)
  select :siteNo::int, given.alias, given.id
  from jsonb_to_recordset(:rows::text::jsonb) as given (id uuid, alias text)
  on conflict (site_no, transaction_id) do nothing`,
)

/** Each customer's first payment, and its first one beside the given ones: the only other row that may have the mark. */
const selectFirsts = query<
  { siteNo: number; currencies: string[]; customers: string[]; ids: string[] },
  { first: string; other: string | null; otherPaidAt: Date | null }
>(
  'select-first-payments-of-customers',
  `select first.id as first, other.id as other, other.paid_at as "otherPaidAt"
  from unnest(:currencies::text[], :customers::text[]) as key (currency, customer)
  cross join lateral (
    select id
    from payments
    where site_no = :siteNo and currency = key.currency and customer = key.customer
    order by paid_at, id
    limit 1
  ) as first
  left join lateral (
    select id, paid_at
    from payments
    where
      site_no = :siteNo and currency = key.currency and customer = key.customer and id <> all(:ids::uuid[])
    order by paid_at, id
    limit 1
  ) as other on true`,
)

/** The rows that other transactions may want to change are locked before any is: see `lock-payments`. */
const lockPaymentsOfCustomers = query<{ siteNo: number; currencies: string[]; customers: string[] }>(
  'lock-payments-of-customers',
  `select id
  from payments
  where site_no = :siteNo and id = any(array(
    select recorded.id
    from unnest(:currencies::text[], :customers::text[]) as key (currency, customer)
    cross join lateral (
      select id
      from payments
      where site_no = :siteNo and currency = key.currency and customer = key.customer
      order by paid_at, id
      limit 3
    ) as recorded
  ))
  order by paid_at, id
  for no key update`,
)

/** Triggers run five statements a payment: planning each anew, as writes to the columnstore ask for, takes longer than running them. */
const keepPlans = query('keep-plans', `select set_config('plan_cache_mode', 'auto', true)`)

const insertRevenue = query<{ siteNo: number; rows: string }>(
  'insert-revenue-of-payments',
  `insert into revenue (
    site_no, at, payment_id, currency, amount_minor, refunded_minor, is_recurring, is_first_of_customer, visitor_no,
    session_no, session_at
  )
  select :siteNo::int, given.*
  from jsonb_to_recordset(:rows::text::jsonb) as given (
    at timestamptz, id uuid, currency text, "amountMinor" bigint, "refundedMinor" bigint, "isRecurring" boolean,
    "isFirst" boolean, "visitorNo" int, "sessionNo" bigint, "sessionAt" timestamptz
  )`,
)

/**
 * Records many payments of the processor at once, as `recordPayment` does one. Call it under the lock of the ledger: no other
 * transaction can then record a payment.
 * @throws AppError `not_found` for a deleted site
 */
export async function recordPayments(
  tx: Transaction,
  siteNo: number,
  payments: readonly NewPayment[],
): Promise<void> {
  if (payments.length === 0) return
  const given = payments.map(payment => ({ payment, customer: customerOf(payment) }))
  const keys = new Map(
    given.map(({ payment, customer }) => [
      `${payment.currency}/${customer}`,
      { currency: payment.currency, customer },
    ]),
  )
  const currencies = [...keys.values()].map(({ currency }) => currency)
  const customers = [...keys.values()].map(({ customer }) => customer)
  const attributions = await attributeAll(
    tx,
    siteNo,
    payments.map(({ visitorId, paidAt }) => ({ visitorId, at: paidAt })),
  )
  const attributionOf = new Map(
    payments.map(({ transactionId }, index) => [transactionId, attributions[index]!]),
  )
  const [site] = await shareCurrency(tx, { siteNo })
  if (!site) throw new AppError('not_found', 'No such site')
  await lockPaymentsOfCustomers(tx, { siteNo, currencies, customers })
  const rows = given.map(({ payment, customer }) => ({
    ...payment,
    customer,
    refundedMinor: refundOf(payment),
    visitorId: payment.visitorId || null,
    email: payment.email || null,
    name: payment.name || null,
    customerId: payment.customerId || null,
  }))
  await keepPlans(tx)
  const recorded = await insertPayments(tx, { siteNo, rows: JSON.stringify(rows) })
  const aliasesOf = new Map(payments.map(({ transactionId, aliases }) => [transactionId, aliases ?? []]))
  const aliases = recorded.flatMap(({ id, transactionId }) =>
    aliasesOf.get(transactionId)!.map(alias => ({ id, alias })),
  )
  if (aliases.length > 0) await insertAliases(tx, { siteNo, rows: JSON.stringify(aliases) })
  const ids = recorded.map(({ id }) => id)
  const firsts = await selectFirsts(tx, { siteNo, currencies, customers, ids })
  const firstIds = new Set(firsts.map(({ first }) => first))
  const changed: { at: Date }[] = []
  for (const { first, other, otherPaidAt } of firsts) {
    if (other === null || otherPaidAt === null || other === first) continue
    const lost = { siteNo, at: otherPaidAt, paymentId: other, isFirst: false }
    changed.push(...(await setFirstOfCustomer(tx, lost)))
  }
  const ledger = recorded.map(payment => ({
    id: payment.id,
    at: payment.paidAt,
    currency: payment.currency,
    amountMinor: payment.amountMinor,
    refundedMinor: payment.refundedMinor,
    isRecurring: payment.recurring || payment.renewal,
    isFirst: firstIds.has(payment.id),
    ...attributionOf.get(payment.transactionId)!,
  }))
  await insertRevenue(tx, { siteNo, rows: JSON.stringify(ledger) })
  for (const { id, transactionId, visitorId, paidAt: at } of recorded) {
    await awaitVisitor(tx, attributionOf.get(transactionId)!, {
      siteNo,
      visitorId,
      target: 'revenue',
      at,
      id,
    })
  }
  await writeServiceEvents(tx, { siteNo }, recorded.flatMap(serviceEventsOf))
  await markTimes(tx, 'revenue', siteNo, [...ledger, ...changed])
}
