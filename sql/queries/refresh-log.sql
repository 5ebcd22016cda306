-- Materialises the buckets of the log of [$1, $2); $1 null: everything before $2. Not inside a transaction.
-- All at once: by default each ten buckets are a statement of their own, which takes sixty times as long.
call refresh_continuous_aggregate(
  'log_15m', $1::timestamptz, $2::timestamptz, options => '{"buckets_per_batch": 0}'::jsonb
)
