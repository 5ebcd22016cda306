-- Number of tokens of user $1 that have not expired at $2.
select count(*)::int as count
from tokens
where user_id = $1 and (expires_at is null or expires_at > $2::timestamptz)
