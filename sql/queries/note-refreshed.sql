update watermarks set refreshed_to = $2::timestamptz where aggregate = $1::text
