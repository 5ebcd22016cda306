-- Appends digests to the values that lock-daily-values.sql has locked. $4: the digests to append, in base64.
update daily_values
set digests = daily_values.digests || decode(added.digests, 'base64')
from unnest($1::int[], $2::int[], $3::text[], $4::text[]) as added (site_no, day_no, kind, digests)
where daily_values.site_no = added.site_no
  and daily_values.day = date '1970-01-01' + added.day_no
  and daily_values.kind = added.kind
