import { query } from '../../platform/db/query.ts'
import { countAsked } from '../counts/count-filtered.ts'
import { edgesOf } from '../counts/shared/buckets.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import { sourceOf } from '../planner.ts'
import type { StatsServices, StatsSite } from '../query-context.ts'

interface Span {
  siteNo: number
  currency: string
  start: Date
  end: Date
}

/** Customers whose newest payment lies in the range; `later`: whether others may have paid in the range, too. */
const countNewest = query<Span, { inRange: number; later: boolean }>(
  'count-newest-payments',
  `select
    (
      select count(*)
      from customers
      where site_no = :siteNo::int and currency = :currency::text
        and last_kept_at >= :start::timestamptz and last_kept_at < :end::timestamptz
    ) as "inRange",
    exists (
      select
      from customers
      where site_no = :siteNo::int and currency = :currency::text and last_kept_at >= :end::timestamptz
    ) as later`,
)

const countPaying = query<Span, { customers: number }>(
  'count-paying-customers',
  `select count(*) as customers
  from (
    select
    from payments
    where site_no = :siteNo::int and currency = :currency::text
      and paid_at >= :start::timestamptz and paid_at < :end::timestamptz and refunded_minor < amount_minor
    group by customer
  ) as customer`,
)

/**
 * Returns the number of customers with a payment in the range that is not wholly refunded.
 * @param recorded number of payments of the range
 */
export async function countPayingCustomers(
  services: Pick<StatsServices, 'reads' | 'counter'>,
  { currency }: StatsSite,
  resolved: ResolvedQuery,
  recorded: number,
): Promise<number> {
  if (recorded === 0) return 0
  if (sourceOf('money', resolved) === 'columns') {
    const asked = { currency, bounds: edgesOf([resolved]) }
    const [counted] = await countAsked(services, resolved, 'money', asked)
    return counted!.payingCustomers
  }
  const { reads } = services
  const { siteNo, start, end } = resolved
  const [newest] = await countNewest(reads, { siteNo, currency, start, end })
  if (!newest!.later) return newest!.inRange
  const [paying] = await countPaying(reads, { siteNo, currency, start, end })
  return paying!.customers
}
