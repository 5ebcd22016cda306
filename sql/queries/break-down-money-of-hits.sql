-- As break-down-filtered-money, by a dimension of hits: money counts for each value that its session has in a filtered hit.
with
  hits as materialized (
    select distinct value, session_no
    from filtered_hits
    where not is_service
  ),
  paid as materialized (
    select
      hits.value, payments.customer, filtered_payments.amount_minor - filtered_payments.refunded_minor as net,
      filtered_payments.refunded_minor < filtered_payments.amount_minor as is_kept, filtered_payments.is_first_of_customer
    from filtered_payments
    join hits using (session_no)
    left join payments on payments.site_no = :siteNo::int and payments.id = filtered_payments.payment_id
    where filtered_payments.currency = (select currency from params)
  ),
  paid_by_value as (
    {paid_by_value}
  ),
  moved_by_value as (
    select hits.value, sum(filtered_movements.amount_minor) as mrr
    from filtered_movements
    join hits using (session_no)
    where filtered_movements.currency = (select currency from params)
      and filtered_movements.at >= (select bounds[1] from params)
    group by 1
    having sum(filtered_movements.amount_minor) <> 0
  )
{money_of_values}
{filtered_money_page}
