-- $1 visitor numbers and $2 session numbers, each in ascending order; drawn only for what is really new.
select
  array(select nextval('visitor_numbers')::int from generate_series(1, $1::int)) as "visitorNos",
  array(select nextval('session_numbers')::bigint from generate_series(1, $2::int)) as "sessionNos"
