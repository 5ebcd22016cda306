-- Materialises the session buckets of [$1, $2); $1 null: everything before $2. Not inside a transaction.
call refresh_continuous_aggregate('sessions_15m', $1::timestamptz, $2::timestamptz)
