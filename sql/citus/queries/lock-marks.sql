-- As the common one, with the locks that `hold_watermarks` takes: those of rows of a table that all servers have would block no transaction here.
select aggregate
from (
  select name as aggregate, pg_advisory_xact_lock(hashtext('watermarks'), hashtext(name))
  from (
    select name from unnest(array['hits', 'daily_rollups']) with ordinality as marked (name, turn) order by turn
  ) as in_order
  offset 0
) as locked
