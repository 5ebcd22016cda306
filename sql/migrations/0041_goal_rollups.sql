-- Conversions by goal of the days that have a daily rollup, so that the goal report adds days up instead of reading hits.
-- A goal is named by a hash of its definition: a changed goal is another one, and is counted anew. Hits of the service are in none.

-- One row a day. It is used only while `day_version` is the version of the daily rollup: a day that is built again has another, and
-- one that grows takes its row along (roll-up-day.ts).
create table daily_goal_rollups (
  site_no integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  day_version uuid not null,
  -- Conversions before it are counted; those of scroll goals by the time of the engagement that reached the threshold.
  rolled_up_to timestamptz not null,
  -- The goals that are counted; null for a day without hits, on which every goal has no conversions.
  goals uuid[],
  -- Changes with every change of the row or of its counts, so that a process need not read them again.
  version uuid not null,
  primary key (site_no, starts_at, ends_at),
  foreign key (site_no, starts_at, ends_at) references daily_rollups on delete cascade
);

-- Conversions of a goal on a day; no row where it had none.
create table daily_goal_counts (
  site_no integer not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  goal uuid not null,
  conversions bigint not null,
  -- Reported by these hits in the goal's currency, minor units.
  revenue numeric not null,
  -- Serialized roaring bitmap of visitor_no.
  visitors bytea not null,
  primary key (site_no, starts_at, ends_at, goal),
  foreign key (site_no, starts_at, ends_at) references daily_goal_rollups on delete cascade
);
alter table daily_goal_counts alter column visitors set storage external;

-- Sites whose goals or daily rollups have changed: the scheduler counts what their days lack. It removes only the version that it has
-- seen.
create table goal_rollup_queue (
  site_no integer primary key,
  version bigint not null default nextval('dirty_versions'),
  -- Later than now after a failure.
  due_at timestamptz not null default '-infinity'
);

create function queue_goal_rollups(site integer) returns void language sql as $$
  insert into goal_rollup_queue (site_no)
  select site_no from sites where site_no = site and deleted_at is null
  on conflict (site_no) do update set version = nextval('dirty_versions')
$$;

create function queue_changed_goals() returns trigger language plpgsql as $$
begin
  perform queue_goal_rollups(site_no) from (select distinct site_no from changed order by site_no) as site;
  return null;
end
$$;
create trigger queue_new_goals after insert on goals
referencing new table as changed for each statement execute function queue_changed_goals();
create trigger queue_changed_goals after update on goals
referencing new table as changed for each statement execute function queue_changed_goals();
create trigger queue_gone_goals after delete on goals
referencing old table as changed for each statement execute function queue_changed_goals();

create function queue_new_days() returns trigger language plpgsql as $$
begin
  perform queue_goal_rollups(site_no)
  from (select distinct site_no from changed order by site_no) as site
  where exists (select from goals where goals.site_no = site.site_no);
  return null;
end
$$;
create trigger queue_new_days after insert on daily_rollups
referencing new table as changed for each statement execute function queue_new_days();

create function queue_changed_day() returns trigger language plpgsql as $$
begin
  perform queue_goal_rollups(new.site_no) where exists (select from goals where goals.site_no = new.site_no);
  return null;
end
$$;
-- Not when rolled_up_to alone moves: it takes the row of the goals along (roll-up-sites.ts).
create trigger queue_changed_day after update of pageviews, dimensions_hash on daily_rollups
for each row execute function queue_changed_day();

insert into goal_rollup_queue (site_no)
select distinct site_no from goals join sites using (site_no) where deleted_at is null;
