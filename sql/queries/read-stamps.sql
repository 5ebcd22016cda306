-- The stamps of site :siteNo: a JSON array for each column, one entry for each kind and span. Starts are Unix milliseconds, stamps texts. All are null
-- for a site without stamps. firstAt, firstServiceAt, firstMoneyAt: its first event, the first one that the service wrote, and the first payment or
-- MRR movement, Unix milliseconds. erasures: how many persons were erased.
select
  (select (extract(epoch from first_event_at) * 1000)::bigint from sites where site_no = :siteNo::int) as "firstAt",
  (
    select (extract(epoch from at) * 1000)::bigint
    from events
    where site_no = :siteNo::int and is_service
    order by at
    limit 1
  ) as "firstServiceAt",
  (
    select (extract(epoch from least(
      (select at from revenue where site_no = :siteNo::int order by at limit 1),
      (select at from mrr_movements where site_no = :siteNo::int order by at limit 1)
    )) * 1000)::bigint
  ) as "firstMoneyAt",
  (select count(finished_at)::int from erasures where site_no = :siteNo::int) as erasures,
  json_agg(kind) as kinds,
  json_agg((extract(epoch from starts_at) * 1000)::bigint) as starts,
  json_agg(minutes) as minutes,
  json_agg(stamp::text) as stamps
from (
  select kind, starts_at, minutes, bit_xor(stamp) as stamp
  from (
    select kind, starts_at, minutes, stamp from stamps where site_no = :siteNo::int
    union all
    select kind, starts_at, minutes, stamp from new_stamps where site_no = :siteNo::int
  ) as added
  group by 1, 2, 3
) as span
