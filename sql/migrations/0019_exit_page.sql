-- The last pageview of a session by time, ties by id: its path and time. Null and '' without a pageview, and in sessions of before
-- until src/ingestion/fill-exit-pages.ts has been there.
alter table sessions add column exit_path text not null default '';
alter table sessions add column exit_at timestamptz;

-- How far the exit pages of sessions that were stored before are filled in, newest first; no row when all are.
create table exit_page_fill (
  -- Sessions that started from then on are filled in.
  filled_from timestamptz not null
);
insert into exit_page_fill (filled_from)
select max(started_at) + interval '1 second' from sessions having count(*) > 0;
