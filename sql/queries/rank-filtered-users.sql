-- A page of the users of filtered sessions, in the order `sort`. search: pattern for the identifier or the name; empty: all.
-- Every row has the number of all.
select
  "user".user_id as "userId",
  "user".sessions,
  "user".started_at as "startedAt",
  count(*) over () as total
from (
  select user_id, count(*) as sessions, max(started_at) as started_at
  from filtered_sessions
  where user_id <> ''
  group by user_id
) as "user", params
where
  params.search = ''
  or "user".user_id ~ params.search
  or exists (
    select from identities
    where identities.site_no = :siteNo::int and identities.identifier = "user".user_id
      and identities.name ~ params.search
  )
order by
  case when params.sort = 'sessions' then sessions end desc nulls last,
  started_at desc,
  user_id collate "C"
limit (select "limit" from params)
offset (select "offset" from params)
