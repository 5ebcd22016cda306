-- Unix milliseconds; null for -infinity.
select
  case when isfinite(watermark) then (extract(epoch from watermark) * 1000)::float8 end as watermark,
  case when isfinite(refreshed_to) then (extract(epoch from refreshed_to) * 1000)::float8 end as "refreshedTo"
from watermarks
where aggregate = $1::text
