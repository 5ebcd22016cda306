-- Values of site $1 by value_id ($2).
select value_id as "valueId", value as text
from value_dictionary
where site_no = $1::int and value_id = any($2::int[])
