-- What goals of sites $1 name exactly: names of events, and keys of properties.
select site_no as "siteNo", 'event_name' as kind, match_value as value
from goals
where site_no = any($1::int[]) and type = 'event' and match_operator = 'is'
union all
select site_no, 'property_key', jsonb_object_keys(custom_props)
from goals
where site_no = any($1::int[])
