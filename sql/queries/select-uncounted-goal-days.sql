-- Days of site :siteNo that begin before :before whose goal rollup is missing, lacks one of :goals, or ends before the daily rollup
-- does; newest first. Left out: marked days, which are built again soon, and days without details.
select
  (extract(epoch from daily_rollups.starts_at) * 1000)::bigint as start,
  (extract(epoch from daily_rollups.ends_at) * 1000)::bigint as "end",
  daily_rollups.version as "dayVersion",
  (extract(epoch from daily_rollups.rolled_up_to) * 1000)::bigint as "rolledUpTo",
  goal_day.version,
  (extract(epoch from goal_day.rolled_up_to) * 1000)::bigint as "goalsTo",
  goal_day.goals::text[] as goals
from daily_rollups
left join daily_goal_rollups as goal_day on
  goal_day.site_no = :siteNo::int and goal_day.starts_at = daily_rollups.starts_at
  and goal_day.ends_at = daily_rollups.ends_at and day_version = daily_rollups.version
where daily_rollups.site_no = :siteNo::int and daily_rollups.starts_at < :before::timestamptz
  and daily_rollups.starts_at >= coalesce((select details_from from sites where site_no = :siteNo::int), '-infinity')
  and not exists (
    select from dirty_buckets
    where aggregate = 'daily_rollups' and dirty_buckets.site_no = :siteNo::int 
      and bucket >= daily_rollups.starts_at and bucket < daily_rollups.ends_at
  )
  and (
    goal_day.site_no is null
    or goal_day.rolled_up_to < daily_rollups.rolled_up_to
    or not goal_day.goals @> :goals::uuid[]
  )
order by daily_rollups.starts_at desc
limit :limit::int
