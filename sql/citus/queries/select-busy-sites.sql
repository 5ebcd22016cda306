-- As the common one: each shard counts the hits of its sites. Citus cannot stop at :hits of each.
with live as materialized (
  select site_no from sites where deleted_at is null and first_event_at is not null
)
select events.site_no as "siteNo"
from live
join events on events.site_no = live.site_no
where at >= :from::timestamptz and at < :to::timestamptz
group by 1
having count(*) >= :hits::int
order by 1
