-- As the common one, but what is deleted are counts from before the last move: readers take the span from the coordinator and counts from a
-- shard, with no common snapshot, and one that has read the old span must still find its counts. Citus cannot skip locked rows of several
-- shards: of two transactions that wait for each other, it ends one, which is repeated.
with moved as (
  update session_count_span as span
  set counted_from = case
    when span.counted_from = 'infinity' then :beginning::timestamptz
    else greatest(span.counted_from, :keptFrom::timestamptz)
  end
  from (select counted_from from session_count_span) as before
  returning before.counted_from
)
delete from session_counts
where bucket < (select counted_from from moved where isfinite(counted_from))
