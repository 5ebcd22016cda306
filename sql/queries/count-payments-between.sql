-- How many payments site $1 has in [$2, $3); $4 at most.
select count(*)::int as payments
from (
  select
  from revenue
  where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
  limit $4::int
) as payment
