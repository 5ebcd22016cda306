-- Every path, name and selector that site $1 has hits of in [$2, $3), by the type of the hit, at most $5; $4: the types to
-- look at.
select
  type as kind,
  case type when 'pageview' then path when 'event' then name else coalesce(props ->> 'selector', '') end as value
from events
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz and type = any($4::text[])
group by 1, 2
limit $5::int
