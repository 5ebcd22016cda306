-- As the common one: each shard looks at its sites, which the coordinator names.
with live as materialized (
  select site_no from sites where deleted_at is null and first_event_at is not null
)
select live.site_no as "siteNo"
from live
where exists (
  select from events
  where events.site_no = live.site_no and at >= :from::timestamptz and at < :to::timestamptz
  order by at
  offset :hits::int - 1
)
order by 1
