-- Money of site :siteNo in [:start, :end) and in currency :currency by the column :column of the session that it is attributed to;
-- money without a session has the empty value. Sums are numeric, sent as text.
with
  paid as materialized (
    select
      coalesce(money_sessions.session ->> :column::text, '') as value, payments.customer,
      revenue.amount_minor - revenue.refunded_minor as net, revenue.refunded_minor < revenue.amount_minor as is_kept,
      revenue.is_first_of_customer
    from revenue
    join payments
      on payments.site_no = revenue.site_no and payments.id = revenue.payment_id
      and payments.site_no = :siteNo::int
      and payments.paid_at >= :start::timestamptz and payments.paid_at < :end::timestamptz
    left join money_sessions
      on money_sessions.site_no = :siteNo::int and money_sessions.session_no = revenue.session_no
    where revenue.site_no = :siteNo::int and revenue.currency = :currency::text
      and revenue.at >= :start::timestamptz and revenue.at < :end::timestamptz
  ),
  paid_by_value as (
    {paid_by_value}
  ),
  moved_by_value as (
    select coalesce(money_sessions.session ->> :column::text, '') as value, sum(mrr_movements.amount_minor) as mrr
    from mrr_movements
    left join money_sessions
      on money_sessions.site_no = :siteNo::int and money_sessions.session_no = mrr_movements.session_no
    where mrr_movements.site_no = :siteNo::int and mrr_movements.currency = :currency::text
      and mrr_movements.at >= :start::timestamptz and mrr_movements.at < :end::timestamptz
    group by 1
    having sum(mrr_movements.amount_minor) <> 0
  )
{money_of_values}
order by
  case :sort::text
    when 'revenue' then coalesce(revenue, 0)
    when 'payments' then coalesce(payments, 0)
    when 'customers' then coalesce(customers, 0)
    when 'new_customers' then coalesce(new_customers, 0)
    when 'mrr' then coalesce(mrr, 0)
  end desc,
  coalesce(revenue, 0) desc,
  value
limit :limit::bigint
offset :offset::bigint
