delete from daily_value_rollups where site_no = $1::int and starts_at = $2::timestamptz and ends_at = $3::timestamptz
