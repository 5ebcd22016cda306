import type { Queryable } from '../../db/connect.ts'
import type { BreakdownDimension, Dimension } from '../../dimensions/dimensions.ts'
import type { ResolvedQuery } from '../filters/resolved-query.ts'
import type { Fragment } from './bounds.ts'
import { allHold } from './conditions.ts'

/** Dimensions that `customers` has of a customer's first visit. */
export const FIRST_VISIT_DIMENSIONS = [
  'channel',
  'source',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_content',
  'utm_term',
  'country',
  'entry_path',
] as const satisfies Dimension[]
export type FirstVisitDimension = (typeof FIRST_VISIT_DIMENSIONS)[number]

export const isOfFirstVisit = (dimension: BreakdownDimension): dimension is FirstVisitDimension =>
  FIRST_VISIT_DIMENSIONS.some(name => name === dimension)

/** Conditions on the first visit; filters on other dimensions must have been refused before. */
const conditionsOnFirstVisit = (db: Queryable, { filters }: ResolvedQuery): Fragment =>
  allHold(
    db,
    filters.dimensions.filter(({ dimension }) => isOfFirstVisit(dimension)),
    dimension => db`coalesce(customers.${db(dimension)}, '')`,
  )

/** @param value the dimension that becomes the column `value` */
export const filteredCustomers = (
  db: Queryable,
  resolved: ResolvedQuery,
  value?: BreakdownDimension,
): Fragment => db`
  select customers.* ${value && isOfFirstVisit(value) ? db`, customers.${db(value)} as value` : db``}
  from customers
  where customers.site_no = ${resolved.siteNo}::int ${conditionsOnFirstVisit(db, resolved)}`

export const filteredSubscriptions = (db: Queryable, resolved: ResolvedQuery): Fragment => db`
  select
    subscriptions.*, customers.email, customers.name, customers.first_visit_at,
    ${FIRST_VISIT_DIMENSIONS.map((name, index) => db`${index > 0 ? db`,` : db``} customers.${db(name)}`)}
  from subscriptions
  left join customers
    on customers.site_no = subscriptions.site_no
    and customers.currency = subscriptions.currency
    and customers.customer = coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || subscriptions.subscription_id)
  where subscriptions.site_no = ${resolved.siteNo}::int ${conditionsOnFirstVisit(db, resolved)}`
