-- Payments of site :siteNo in [:start, :end), and all its MRR movements before :end: a JSON array for each column. amounts: as text, of a
-- payment what is not refunded. customers: keys as in `payments` and `mrr_changes`. kinds: those of the whole changes that the movements are part
-- of. sessionValues: a JSON array for each of {session_dimensions} of their sessions, which may have started at any time; empty without one.
select
  json_agg(coalesce(money.session_no, 0)) as "sessionNos",
  json_build_array({joined_session_arrays}) as "sessionValues",
  json_agg((extract(epoch from money.at) * 1000)::bigint) as at,
  json_agg(money.currency) as currencies,
  json_agg(money.amount::text) as amounts,
  json_agg(money.customer) as customers,
  json_agg(money.is_recurring) as "isRecurring",
  json_agg(money.is_first_of_customer) as "isFirst",
  json_agg(money.subscription_id) as subscriptions,
  json_agg(money.kind) as kinds
from (
  select
    revenue.session_no, revenue.session_at, revenue.at, revenue.currency, revenue.amount_minor - revenue.refunded_minor as amount,
    payments.customer, revenue.is_recurring, revenue.is_first_of_customer, null as subscription_id, null as kind
  from revenue
  left join payments on payments.site_no = revenue.site_no and payments.id = revenue.payment_id
  where revenue.site_no = :siteNo::int and revenue.at >= :start::timestamptz and revenue.at < :end::timestamptz
  union all
  select
    moved.session_no, moved.session_at, moved.at, moved.currency, moved.amount_minor, moved.customer, false, false,
    moved.subscription_id, changes.kind
  from (
    select
      movements.*,
      coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || movements.subscription_id) as customer
    from mrr_movements as movements
    left join subscriptions
      on subscriptions.site_no = movements.site_no and subscriptions.subscription_id = movements.subscription_id
    where movements.site_no = :siteNo::int and movements.at < :end::timestamptz
  ) as moved
  left join mrr_changes as changes
    on changes.site_no = moved.site_no and changes.currency = moved.currency and changes.customer = moved.customer
    and changes.at = moved.at
) as money
left join sessions as session
  on session.site_no = :siteNo::int and session.started_at = money.session_at and session.session_no = money.session_no
