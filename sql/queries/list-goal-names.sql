select
  id,
  display_name as "displayName"
from goals
where site_no = $1
