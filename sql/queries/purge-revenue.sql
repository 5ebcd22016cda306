-- Revenue and MRR movements of site $1 in [$2, $3). Returns how many.
with
  gone_revenue as (
    delete from revenue
    where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
    returning 1
  ),
  gone_movements as (
    delete from mrr_movements
    where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
    returning 1
  )
select ((select count(*) from gone_revenue) + (select count(*) from gone_movements))::int as count
