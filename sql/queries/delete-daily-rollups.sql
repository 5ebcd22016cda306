-- Deletes all rollups of site $1; readers then count its days from raw rows.
with
  gone_days as (delete from daily_rollups where site_no = $1::int),
  gone_values as (delete from daily_value_rollups where site_no = $1::int)
delete from rollup_spans where site_no = $1::int
