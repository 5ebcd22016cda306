-- The number is arbitrary; migrations use another.
select pg_advisory_xact_lock(7116502)
