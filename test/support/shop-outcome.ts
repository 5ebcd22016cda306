import type { Shop } from './stripe.ts'

/** Returns the payments of a site, their rows of the ledger, and their service events. */
export async function paymentsOf({ api, siteNo }: Pick<Shop, 'api' | 'siteNo'>) {
  const { db } = api.services
  const payments = await db`
    select transaction_id, amount_minor, refunded_minor, currency, renewal, recurring, visitor_id, customer_id, paid_at,
      array(
        select transaction_id from payment_aliases as alias
        where alias.site_no = payments.site_no and alias.payment_id = payments.id order by 1
      ) as aliases
    from payments where site_no = ${siteNo} order by 1`
  // Of two payments at the same time, either may be the first.
  const revenue = await db`
    select at, currency, sum(amount_minor)::bigint, sum(refunded_minor)::bigint, bool_and(is_recurring),
      count(*) filter (where is_first_of_customer)::int as firsts
    from revenue where site_no = ${siteNo} group by at, currency order by at, currency`
  return { payments, revenue }
}

/** Returns MRR, status and times of the subscriptions of a site as they are now, and its customers. */
export async function standingsOf({ api, siteNo }: Pick<Shop, 'api' | 'siteNo'>) {
  const { db } = api.services
  const subscriptions = await db`
    select subscription_id, customer_id, currency, status, mrr_minor, state, started_at, ended_at,
      (select coalesce(sum(amount_minor), 0)::bigint from mrr_movements as moved
        where moved.site_no = subscriptions.site_no and moved.subscription_id = subscriptions.subscription_id) as moved
    from subscriptions where site_no = ${siteNo} order by 1`
  const customers = await db`
    select customer, currency, recorded, payments, revenue_minor, first_paid_at, last_paid_at, last_kept_at, mrr_minor,
      subscriptions, subscribed_at
    from customers where site_no = ${siteNo} order by 1, 2`
  return { subscriptions, customers }
}

/** Returns the net movements by time, and the lifecycle events without the ids of the events that they came from. */
export async function movementsOf({ api, siteNo }: Pick<Shop, 'api' | 'siteNo'>) {
  const { db } = api.services
  const movements = await db`
    select subscription_id, at, kind, currency, sum(amount_minor)::bigint as amount
    from mrr_movements where site_no = ${siteNo}
    group by 1, 2, 3, 4 having sum(amount_minor) <> 0 order by 1, 2, 3, 4`
  const changes = await db`
    select customer, currency, at, kind, amount_minor, subscriptions
    from mrr_changes where site_no = ${siteNo} order by 1, 2, 3`
  const events = await db`
    select name, at, props from events where site_no = ${siteNo} and is_service order by at, name, props::text`
  const told = await db`
    select subscription_id, name, at, visitor_id from lifecycle_events where site_no = ${siteNo} order by 1, 3, 2`
  return { movements, changes, events, told }
}

export const outcomeOf = async (shop: Pick<Shop, 'api' | 'siteNo'>) => ({
  ...(await standingsOf(shop)),
  ...(await paymentsOf(shop)),
  ...(await movementsOf(shop)),
})
