with
  old as materialized (
    select site_no, history_from from sites where deleted_at is null and history_from is not null
  ),
  kept as (
    select site_no, min(starts_at) as at from daily_rollups where site_no in (select site_no from old) group by 1
    union all
    select site_no, min(bucket) from kept_hit_buckets where site_no in (select site_no from old) group by 1
    union all
    select site_no, min(bucket) from kept_session_buckets where site_no in (select site_no from old) group by 1
  )
select distinct old.site_no as "siteNo", history_from as "historyFrom"
from old
join kept on kept.site_no = old.site_no and kept.at < old.history_from
order by 1
