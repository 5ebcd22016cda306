-- The same for TimescaleDB 2.20, which knows no options.
call refresh_continuous_aggregate('log_15m', $1::timestamptz, $2::timestamptz)
