-- Conversions are counted over columns: they need no counts by day.
drop table daily_goal_counts;
drop table daily_goal_rollups;
drop table daily_service_events;

drop trigger queue_new_goals on goals;
drop trigger queue_changed_goals on goals;
drop trigger queue_gone_goals on goals;
drop function queue_changed_goals();
drop function queue_goal_rollups(integer);
drop table goal_rollup_queue;
