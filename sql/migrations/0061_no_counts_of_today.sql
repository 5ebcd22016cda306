-- Daily rollups are of days that are over; what they lack is counted over columns in memory.
drop table recent_hits;
drop table session_counts;
drop table session_count_span;
delete from dirty_buckets where aggregate = 'recent_hits';
delete from watermarks where aggregate = 'recent_hits';

-- Those of days that were not over 26 hours ago lack what came since.
delete from daily_value_rollups
using daily_rollups
where daily_value_rollups.site_no = daily_rollups.site_no and daily_value_rollups.starts_at = daily_rollups.starts_at
  and daily_value_rollups.ends_at = daily_rollups.ends_at and rolled_up_to < daily_rollups.ends_at + interval '26 hours';
delete from daily_rollups where rolled_up_to < ends_at + interval '26 hours';
update watermarks set watermark = watermark - interval '26 hours' where aggregate = 'daily_rollups';
alter table daily_rollups drop column made_anew, drop column rolled_up_to;

