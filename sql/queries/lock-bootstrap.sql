-- The number is arbitrary; migrations use a different one.
select pg_advisory_xact_lock(7116502)
