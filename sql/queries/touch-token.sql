-- Of many requests at once one writes; the others find the condition no longer true.
update tokens
set last_used_at = $2
where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - interval '1 minute')
