-- All sessions that have a conversion.
select coalesce(array_agg(distinct session_no), '{}') as sessions
from conversions
where session_no is not null
