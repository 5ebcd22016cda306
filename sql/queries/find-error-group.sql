-- Message and name of error $2 of site $1, whatever the time of its occurrences.
select message, name
from error_groups
where site_no = $1 and error_id = $2
