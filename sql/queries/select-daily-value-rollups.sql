-- Value rollups of the dimensions $2 of site $1, for the days that begin at $3 and end at $4; days without values are absent.
-- In base64: the driver reads text, and the text form of bytea is 1.5 times as long. $5: whether to return visitors.
select
  (extract(epoch from daily_value_rollups.starts_at) * 1000)::bigint as start,
  encode(counts, 'base64') as counts,
  case when $5::boolean then encode(visitors, 'base64') end as visitors
from unnest($3::timestamptz[], $4::timestamptz[]) as day (starts_at, ends_at)
join daily_value_rollups on
  daily_value_rollups.site_no = $1::int and daily_value_rollups.dimension = any($2::text[])
  and daily_value_rollups.starts_at = day.starts_at and daily_value_rollups.ends_at = day.ends_at
