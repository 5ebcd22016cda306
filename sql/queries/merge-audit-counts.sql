-- Adds up the counts of audit entries of the teams and actions of at most :limit new rows. A sum of zero needs no row. A count
-- sees the rows from before or from after.
with due as materialized (
  select distinct team_id, action
  from (select team_id, action from audit_counts where not is_merged limit :limit) as added
),
gone as (
  delete from audit_counts
  where ctid = any(array(
    select same.ctid
    from due
    cross join lateral (
      select ctid from audit_counts where audit_counts.team_id = due.team_id and audit_counts.action = due.action offset 0
    ) as same
  ))
  returning team_id, action, user_id, entries
)
insert into audit_counts (team_id, action, user_id, entries, is_merged)
select team_id, action, user_id, sum(entries), true
from gone
group by 1, 2, 3
having sum(entries) <> 0
