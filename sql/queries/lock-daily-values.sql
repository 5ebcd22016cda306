-- Distinct values of sites $1 on days $2 (since 1970, UTC) of kinds $3, locked: no other transaction can add a value until this
-- one ends. Locks in a fixed order, to avoid deadlocks.
insert into daily_values (site_no, day, kind, digests)
select site_no, date '1970-01-01' + day_no, kind, ''
from unnest($1::int[], $2::int[], $3::text[]) as asked (site_no, day_no, kind)
order by 1, 2, 3
on conflict (site_no, day, kind) do update set kind = excluded.kind
returning site_no as "siteNo", day - date '1970-01-01' as day, kind, digests
