-- Creates an event goal for each of the distinct names, in their order. Skips names that a goal already has, names that an event
-- goal already matches, and all goals above `mostGoals` of the site (null: no limit).
insert into goals (site_no, display_name, type, match_value, match_operator)
select :siteNo::int, wanted.name, 'event', wanted.name, 'is'
from unnest(:names::text[]) with ordinality as wanted (name, position)
where
  not exists (select from goals where site_no = :siteNo::int and display_name = wanted.name)
  and not exists (
    select
    from goals
    where
      site_no = :siteNo::int
      and type = 'event'
      and match_value = wanted.name
      and match_operator = 'is'
      and custom_props = '{}'
  )
order by wanted.position
limit
  case
    when :mostGoals::int is not null then greatest(0, :mostGoals::int - (select count(*) from goals where site_no = :siteNo::int))
  end
