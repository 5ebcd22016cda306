-- Every value that properties of hits have, under whatever key.
select distinct property.value
from kept_hits
cross join lateral jsonb_each_text(props) as property
