-- Who writes the rollup of a day queues the goals of its site (src/rollups/goals/queue-goals.ts): rows of rollups may lie on another
-- server than the queue, where no trigger of theirs reaches it.
drop trigger queue_new_days on daily_rollups;
drop trigger queue_changed_day on daily_rollups;
drop function queue_new_days();
drop function queue_changed_day();
