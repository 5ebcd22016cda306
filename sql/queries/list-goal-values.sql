-- Every path, name and selector of the hits of a site in [start, end), with the type of the hit. At most `limit` rows, and none
-- after the first `mostCharacters` characters. `types`: the hit types to read.
select kind, value
from (
  select kind, value, sum(length(value)) over (rows unbounded preceding) - length(value) as characters_before
  from (
    select type as kind, path as value
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz
      and type in ('pageview', 'engagement') and type = any(:types::text[])
      and '{pageview,engagement}'::text[] && :types::text[]
    group by type, path
    union all
    select 'event', name
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and type = 'event'
      and 'event' = any(:types::text[])
    group by name
    union all
    select type, coalesce(props ->> 'selector', '')
    from events
    where site_no = :siteNo::int and at >= :start::timestamptz and at < :end::timestamptz and type = any(:types::text[])
      and type not in ('pageview', 'engagement', 'event')
    group by 1, 2
    limit :limit::int
  ) as listed
) as occurring
where characters_before <= :mostCharacters::bigint
