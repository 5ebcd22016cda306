-- Adds stamps for changes at the times :times (:siteNos, :kinds) with random numbers (:stamps): one for each span, a minute for what is at most
-- two hours old, else an hour up to two days, else a day.
insert into new_stamps (site_no, kind, starts_at, minutes, stamp)
select site_no, kind, date_bin(minutes * interval '1 minute', at, '2000-01-01T00:00:00Z'), minutes, bit_xor(stamp)
from (
  select
    site_no, kind, at, stamp::bigint as stamp,
    case when at > now() - interval '2 hours' then 1 when at > now() - interval '2 days' then 60 else 1440 end as minutes
  from unnest(:siteNos::int[], :kinds::text[], :times::timestamptz[], :stamps::text[]) as given (site_no, kind, at, stamp)
) as change
group by 1, 2, 3, 4
