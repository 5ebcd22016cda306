-- Payments and MRR movements of site :siteNo in [:start, :end): a JSON array for each column, in order of time. amounts: as text, of a
-- payment what is not refunded. customers: keys as in `payments` and `mrr_changes`. kinds: those of the whole changes that the movements are part
-- of. startedAt: of their sessions, Unix milliseconds, 0 without one. sessionValues: a JSON array for each of {session_dimensions} of their
-- sessions, which may have started at any time; empty without one. What changes while a session goes on is there with :withChanging only: it takes
-- a lookup of each session.
select
  json_agg(coalesce(money.session_no, 0) order by money.at) as "sessionNos",
  json_agg(coalesce((extract(epoch from money.session_at) * 1000)::bigint, 0) order by money.at) as "startedAt",
  json_build_array({kept_session_arrays}) as "sessionValues",
  json_agg((extract(epoch from money.at) * 1000)::bigint order by money.at) as at,
  json_agg(money.currency order by money.at) as currencies,
  json_agg(money.amount::text order by money.at) as amounts,
  json_agg(money.customer order by money.at) as customers,
  json_agg(money.is_recurring order by money.at) as "isRecurring",
  json_agg(money.is_first_of_customer order by money.at) as "isFirst",
  json_agg(money.subscription_id order by money.at) as subscriptions,
  json_agg(money.kind order by money.at) as kinds
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
    where movements.site_no = :siteNo::int and movements.at >= :start::timestamptz and movements.at < :end::timestamptz
  ) as moved
  left join mrr_changes as changes
    on changes.site_no = moved.site_no and changes.currency = moved.currency and changes.customer = moved.customer
    and changes.at = moved.at
) as money
left join money_sessions as kept on kept.site_no = :siteNo::int and kept.session_no = money.session_no
left join lateral (
  select {changing_session_columns}
  from sessions
  where :withChanging::boolean and sessions.site_no = :siteNo::int and sessions.started_at = money.session_at
    and sessions.session_no = money.session_no
  limit 1
) as session on true
