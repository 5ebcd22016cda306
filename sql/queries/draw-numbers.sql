-- $1 visitor numbers and $2 session numbers, each in ascending order. Call it only for the number of rows that are new.
-- Takes the shared lock $3 for each of the sites $4 (site_no): it blocks transactions that store something that is to be
-- attributed to a visitor without a session. The order is ascending, to avoid deadlocks.
select
  (
    select count(pg_advisory_xact_lock_shared($3::int, site_no))
    from (select distinct site_no from unnest($4::int[]) as site_no order by site_no) as sites
  ),
  array(select nextval('visitor_numbers')::int from generate_series(1, $1::int)) as "visitorNos",
  array(select nextval('session_numbers')::bigint from generate_series(1, $2::int)) as "sessionNos"
