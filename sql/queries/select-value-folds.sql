-- What is folded of the dimensions $2 of site $1, for the days that begin at $3 and end at $4; none where nothing had a value.
-- In base64: the driver reads text, and bytea's own is half as long again. $5: with visitors.
select
  (extract(epoch from value_folds.starts_at) * 1000)::bigint as start,
  encode(counts, 'base64') as counts,
  case when $5::boolean then encode(visitors, 'base64') end as visitors
from unnest($3::timestamptz[], $4::timestamptz[]) as day (starts_at, ends_at)
join value_folds on
  value_folds.site_no = $1::int and value_folds.dimension = any($2::text[])
  and value_folds.starts_at = day.starts_at and value_folds.ends_at = day.ends_at
