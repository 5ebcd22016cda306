-- Values that goals of sites $1 match exactly: event names and property keys.
select site_no as "siteNo", 'event_name' as kind, match_value as value
from goals
where site_no = any($1::int[]) and type = 'event' and match_operator = 'is'
union all
select site_no, 'property_key', jsonb_object_keys(custom_props)
from goals
where site_no = any($1::int[])
