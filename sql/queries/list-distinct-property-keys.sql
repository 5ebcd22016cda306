-- Every key that hits have properties under.
select distinct property.key as value
from kept_hits
cross join lateral jsonb_object_keys(props) as property (key)
