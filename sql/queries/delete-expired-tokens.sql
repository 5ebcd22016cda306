-- Of the tokens of user $1 that have expired at $2, all but the $3 that did so last.
delete from tokens
where
  id in (
    select id
    from tokens
    where user_id = $1 and expires_at <= $2::timestamptz
    order by expires_at desc, id
    offset $3
  )
