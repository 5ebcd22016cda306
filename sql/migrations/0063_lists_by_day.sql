-- Pages of the event log and of sessions need no counts by 15 minutes: daily rollups count the days that are over, also by type of hit, and
-- columns in memory the rest.
-- Without events of the service; types without hits are absent. Null where a day has no hits, or was rolled up before: such a day is rolled up
-- again, or has kept buckets.
alter table daily_rollups add column types jsonb;

-- In the order in which storing locks them.
lock table sessions, events in access exclusive mode;
drop view log_15m_refreshed, sessions_15m_refreshed;
drop materialized view log_15m;
drop materialized view sessions_15m;
delete from dirty_buckets where aggregate = 'sessions';
delete from watermarks where aggregate = 'sessions';
