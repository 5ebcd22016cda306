-- Value rollups of the dimensions $4 for one day, [$2, $3), of site $1.
select dimension, counts, visitors
from daily_value_rollups
where site_no = $1::int and starts_at = $2::timestamptz and ends_at = $3::timestamptz and dimension = any($4::text[])
