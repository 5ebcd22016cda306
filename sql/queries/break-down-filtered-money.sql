-- As break-down-money, of the payments and movements that the filters keep.
with
  paid as materialized (
    select
      filtered_payments.value, payments.customer, filtered_payments.amount_minor - filtered_payments.refunded_minor as net,
      filtered_payments.refunded_minor < filtered_payments.amount_minor as is_kept, filtered_payments.is_first_of_customer
    from filtered_payments
    left join payments on payments.site_no = :siteNo::int and payments.id = filtered_payments.payment_id
    where filtered_payments.currency = (select currency from params)
  ),
  paid_by_value as (
    {paid_by_value}
  ),
  moved_by_value as (
    select value, sum(amount_minor) as mrr
    from filtered_movements
    where currency = (select currency from params) and at >= (select bounds[1] from params)
    group by value
    having sum(amount_minor) <> 0
  )
{money_of_values}
{filtered_money_page}
