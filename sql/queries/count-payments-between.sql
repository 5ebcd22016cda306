-- Number of payments of site $1 in [$2, $3); stops counting at $4.
select count(*)::int as payments
from (
  select
  from revenue
  where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
  limit $4::int
) as payment
