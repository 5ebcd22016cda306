-- Creates an event goal of site $1 for each of the distinct names $2, in their order. Skips names that a goal already has, names
-- that an event goal already matches, and all goals above the limit of $3 per site ($3 null: no limit).
insert into goals (site_no, display_name, type, match_value, match_operator)
select $1::int, wanted.name, 'event', wanted.name, 'is'
from unnest($2::text[]) with ordinality as wanted (name, place)
where
  not exists (select from goals where site_no = $1::int and display_name = wanted.name)
  and not exists (
    select
    from goals
    where
      site_no = $1::int
      and type = 'event'
      and match_value = wanted.name
      and match_operator = 'is'
      and custom_props = '{}'
  )
order by wanted.place
limit
  case
    when $3::int is not null then greatest(0, $3::int - (select count(*) from goals where site_no = $1::int))
  end
