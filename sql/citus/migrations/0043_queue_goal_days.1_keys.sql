-- A key of a distributed table has the number of the site. Ids are drawn at random, so none of these can be given twice.

-- Foreign keys and triggers are in the way; 0043_queue_goal_days.5_triggers.sql makes them again.
create temporary table foreign_keys on commit drop as
select conrelid::regclass::text as child, conname as name, pg_get_constraintdef(oid) as definition
from pg_constraint
where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0;

do $$
declare
  foreign_key foreign_keys;
begin
  for foreign_key in select * from foreign_keys loop
    execute format('alter table %s drop constraint %I', foreign_key.child, foreign_key.name);
  end loop;
end
$$;

create temporary table triggers on commit drop as
select tgrelid::regclass::text as of_table, tgname as name, pg_get_triggerdef(oid) as definition
from pg_trigger
where not tgisinternal
  and tgrelid::regclass::text in ('visitors', 'customers', 'payments', 'revenue', 'mrr_movements', 'daily_rollups');

do $$
declare
  old triggers;
begin
  for old in select * from triggers loop
    execute format('drop trigger %I on %s', old.name, old.of_table);
  end loop;
end
$$;

alter table visitors drop constraint visitors_pkey, add primary key (site_no, visitor_no);
alter table payments drop constraint payments_pkey, add primary key (site_no, id);
alter table erasure_items drop constraint erasure_items_pkey, add primary key (site_no, erasure_id, kind, value);
drop index web_vitals_once;
create unique index web_vitals_once on web_vitals (site_no, visitor_no, id, at);

-- Says which row changed where a table has no primary key: so a shard can be moved to another worker while rows are written.
alter table events replica identity using index events_once;
alter table sessions replica identity using index sessions_once;
alter table web_vitals replica identity using index web_vitals_once;
alter table revenue replica identity using index revenue_once;
alter table mrr_movements replica identity using index mrr_movements_once;
alter table replay_chunks replica identity using index replay_chunks_once;

-- Citus draws numbers of identity columns for bigint alone.
alter table value_dictionary
  drop constraint value_dictionary_pkey, add primary key (site_no, value_id), alter column value_id drop identity;
create sequence value_ids as integer;
alter table value_dictionary alter column value_id set default nextval('value_ids');

-- Derived tables and views of them are made in 0043_queue_goal_days.3_derived.sql.
drop view hits_15m, sessions_15m, revenue_15m, log_15m;
