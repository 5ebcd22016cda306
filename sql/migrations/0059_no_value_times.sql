-- The series of one title or error, and the occurrences of an error, are counted over columns in memory. When an error occurred first and
-- last on a day is in `counts`. Rollups are made again, as after a new dimension.
alter table daily_value_rollups drop column times_index, drop column times;
