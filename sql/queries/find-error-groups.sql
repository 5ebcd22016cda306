select error_id as id, message, name
from error_groups
where site_no = $1::int and error_id = any($2::uuid[])
