-- Keeps reads of a large audit log short: a page reads its own entries, and the number of entries is kept beside them.

create index audit_log_by_action on audit_log (team_id, action, id desc);
create index audit_log_by_user on audit_log (team_id, user_id, id desc) include (action);

-- Changes of the number of entries: the sum of a team's rows is exact in every snapshot. One row a change instead of one that is updated: two
-- requests never wait for each other. A job adds rows of the same kind together. No foreign key: the rows of a deleted team add up to zero.
create table audit_counts (
  team_id uuid not null,
  action text not null,
  user_id uuid,
  entries bigint not null,
  is_merged boolean not null default false
);
create index audit_counts_by_team on audit_counts (team_id, action);
create index audit_counts_to_merge on audit_counts (team_id) where not is_merged;

-- Nothing is written meanwhile: each entry must be counted once, here or by the triggers.
lock table audit_log in share row exclusive mode;
insert into audit_counts (team_id, action, user_id, entries, is_merged)
select team_id, action, user_id, count(*), true
from audit_log
where team_id is not null
group by 1, 2, 3;

create function count_audit_entries() returns trigger language plpgsql as $$
begin
  insert into audit_counts (team_id, action, user_id, entries)
  select
    team_id, action, user_id,
    case tg_op when 'INSERT' then count(*) else -count(*) end
  from changed
  where team_id is not null
  group by 1, 2, 3;
  return null;
end
$$;

create trigger count_added after insert on audit_log
  referencing new table as changed for each statement execute function count_audit_entries();
create trigger count_removed after delete on audit_log
  referencing old table as changed for each statement execute function count_audit_entries();
