-- One row when any team has a site for domain $1.
select
from sites
where domain = $1 and deleted_at is null
limit 1
