-- The folds that hold times ($2) of sites ($1), each once.
select distinct
  day_folds.site_no as "siteNo",
  (extract(epoch from starts_at) * 1000)::bigint as start,
  (extract(epoch from ends_at) * 1000)::bigint as "end"
from unnest($1::int[], $2::timestamptz[]) as given (site_no, at)
join day_folds on day_folds.site_no = given.site_no and starts_at <= given.at and ends_at > given.at
