-- $1 visitor numbers and $2 session numbers, each in ascending order; drawn only for what is really new. $3: the lock that
-- holds off whoever leaves something to be attributed to visitors who have no session yet.
select
  pg_advisory_xact_lock_shared($3::int, 0),
  array(select nextval('visitor_numbers')::int from generate_series(1, $1::int)) as "visitorNos",
  array(select nextval('session_numbers')::bigint from generate_series(1, $2::int)) as "sessionNos"
