-- A row when some team has a site for the domain.
select
from sites
where domain = $1 and deleted_at is null
limit 1
