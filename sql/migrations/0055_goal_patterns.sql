-- Patterns of goals match with and without a slash at the end: the days of all sites with goals are counted again.
insert into goal_rollup_queue (site_no)
select distinct site_no from goals join sites using (site_no) where deleted_at is null
on conflict (site_no) do update set version = nextval('dirty_versions');
