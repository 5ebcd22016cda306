-- Committed distinct values of sites $1 on days $2 (since 1970, UTC).
select site_no as "siteNo", day - date '1970-01-01' as day, kind, digests
from daily_values
join unnest($1::int[], $2::int[]) as asked (site_no, day_no)
  using (site_no)
where daily_values.day = date '1970-01-01' + asked.day_no
