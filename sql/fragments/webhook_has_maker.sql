-- Of the webhook `endpoint`: a browser made it, or the token that made it still works. A webhook ends with its token.
(
  endpoint.token_id is null
  or exists (
    select
    from tokens
    where tokens.id = endpoint.token_id and (tokens.expires_at is null or tokens.expires_at > :now::timestamptz)
  )
)
