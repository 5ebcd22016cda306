-- Every path, name and selector that site $1 has hits of in [$2, $3), by the type of the hit, at most $5, and no more when
-- they have more than $6 characters together; $4: the types to look at.
select kind, value
from (
  select kind, value, sum(length(value)) over (rows unbounded preceding) - length(value) as characters_before
  from (
    select 'pageview' as kind, path as value
    from events
    where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz and type = 'pageview'
      and 'pageview' = any($4::text[])
    group by path
    union all
    select 'event', name
    from events
    where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz and type = 'event'
      and 'event' = any($4::text[])
    group by name
    union all
    select type, coalesce(props ->> 'selector', '')
    from events
    where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz and type = any($4::text[])
      and type not in ('pageview', 'event')
    group by 1, 2
    limit $5::int
  ) as listed
) as occurring
where characters_before <= $6::bigint
