-- Readers of busy sites keep the rows of the last minutes in memory, and must learn of changes that are no new rows.

-- Version of the last mark that counting the bucket has removed, 0 without one: it tells of the change when the mark is gone.
alter table recent_hits add column counted_anew bigint not null default 0;

-- Changes when the day is rolled up again from its rows, not when its rollup grows. Null: never again.
alter table daily_rollups add column made_anew uuid;
