-- When values occurred: the times of each error, and the quarter-hours in which sessions began that saw a title. So the series of one
-- value, and a page of the occurrences of an error, need no hits. Rollups from before are made again, as after a new dimension.
alter table daily_value_rollups
  -- The values, and where the times of each lie in `times`; null for dimensions without times, and where `counts` is null.
  add column times_index bytea,
  add column times bytea;
-- A reader takes the times of one value out of them.
alter table daily_value_rollups alter column times_index set storage external;
alter table daily_value_rollups alter column times set storage external;
