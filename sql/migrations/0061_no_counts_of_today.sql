-- Daily rollups are of days that are over; what they lack is counted over columns in memory.
drop table recent_hits;
drop table session_counts;
drop table session_count_span;
delete from dirty_buckets where aggregate = 'recent_hits';
delete from watermarks where aggregate = 'recent_hits';
alter table daily_rollups drop column made_anew;
