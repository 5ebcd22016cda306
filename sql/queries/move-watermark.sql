-- Moves the watermark of aggregate $1 forward to $2, once no running transaction writes by the old one.
update watermarks set watermark = $2::timestamptz where aggregate = $1::text and watermark < $2::timestamptz
