-- Every path, name and selector of the hits of site $1 in [$2, $3), with the type of the hit. At most $5 rows, and none after the
-- first $6 characters. $4: the hit types to read.
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
