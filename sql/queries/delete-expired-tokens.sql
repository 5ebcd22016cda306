-- Deletes the tokens of user $1 that have expired at $2, except the $3 that expired last.
delete from tokens
where
  id in (
    select id
    from tokens
    where user_id = $1 and expires_at <= $2::timestamptz
    order by expires_at desc, id
    offset $3
  )
