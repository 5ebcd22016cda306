-- What is known of an error of site $1, whenever it occurred.
select message, name
from error_groups
where site_no = $1 and error_id = $2
