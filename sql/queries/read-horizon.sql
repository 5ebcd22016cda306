-- Unix milliseconds; null for -infinity.
select
  case when isfinite(horizon) then (extract(epoch from horizon) * 1000)::float8 end as horizon,
  case when isfinite(refreshed_to) then (extract(epoch from refreshed_to) * 1000)::float8 end as "refreshedTo"
from horizons
where aggregate = $1::text
