-- Revenue of site :siteNo in [:start, :end), one row for each segment between the edges :edges (ascending, whole 15-minute buckets; segment 1
-- begins at the first edge); segments without payments are absent. recorded: payments in any currency; the other columns:
-- currency :currency.
-- Sums are numeric, sent as text, because they may exceed the integers that JavaScript represents exactly.
-- Dirty buckets are counted from raw rows. Above its watermark the aggregate reads raw rows by itself.
with dirty as materialized (
  select bucket
  from dirty_buckets
  where aggregate = 'revenue' and site_no = :siteNo::int and bucket >= :start::timestamptz and bucket < :end::timestamptz
),
buckets as (
  select bucket, currency, recorded, payments, revenue, recurring, new_customers
  from revenue_15m
  where site_no = :siteNo::int
    and bucket >= :start::timestamptz
    and bucket < :end::timestamptz
    and bucket not in (select bucket from dirty)
  union all
  select dirty.bucket, paid.*
  from dirty
  -- One index scan for each bucket: with wrong estimates a join would compare each payment with each bucket.
  cross join lateral (
    select
      currency,
      count(*),
      count(*) filter (where refunded_minor < amount_minor),
      sum(amount_minor - refunded_minor),
      sum(amount_minor - refunded_minor) filter (where is_recurring),
      count(*) filter (where is_first_of_customer)
    from revenue
    where site_no = :siteNo::int
      and at >= dirty.bucket and at < dirty.bucket + interval '15 minutes'
      and at >= :start::timestamptz and at < :end::timestamptz
    group by currency
  ) as paid
)
select
  width_bucket(bucket, :edges::timestamptz[]) as segment,
  sum(recorded)::bigint as recorded,
  coalesce(sum(payments) filter (where currency = :currency::text), 0)::bigint as payments,
  coalesce(sum(revenue) filter (where currency = :currency::text), 0)::text as revenue,
  coalesce(sum(recurring) filter (where currency = :currency::text), 0)::text as recurring,
  coalesce(sum(new_customers) filter (where currency = :currency::text), 0)::bigint as "newCustomers"
from buckets
group by 1
