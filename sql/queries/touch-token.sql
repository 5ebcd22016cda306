-- When many requests run at the same time, only one writes: the others no longer match the condition.
update tokens
set last_used_at = $2
where id = $1 and (last_used_at is null or last_used_at <= $2::timestamptz - interval '1 minute')
