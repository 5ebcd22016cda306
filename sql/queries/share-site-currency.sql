-- Currency of site $1, locked against changes until the transaction ends (see lock-site-currency).
select currency
from sites
where site_no = $1 and deleted_at is null
for share
