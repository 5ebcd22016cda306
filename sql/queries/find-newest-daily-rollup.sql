select (extract(epoch from max(ends_at)) * 1000)::bigint as "end" from daily_rollups where site_no = $1::int
