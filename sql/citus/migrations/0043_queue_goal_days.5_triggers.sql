-- What 0043_queue_goal_days.1_keys.sql has dropped. Triggers of distributed tables run on the worker of the row, and what they write lies
-- in the same shard.
set local citus.enable_unsafe_triggers = on;

do $$
declare
  old triggers;
begin
  for old in select * from triggers loop
    execute old.definition;
  end loop;
end
$$;

-- Rows of a site that goes are deleted one table after the other: foreign keys from distributed tables to sites would only slow down hits.
do $$
declare
  old foreign_keys;
begin
  for old in
    select * from foreign_keys
    where child not in (
      'payment_aliases', 'dirty_buckets'
    )
  loop
    execute format('alter table %s add constraint %I %s', old.child, old.name, old.definition);
  end loop;
end
$$;
alter table payment_aliases add foreign key (site_no, payment_id) references payments (site_no, id) on delete cascade;
