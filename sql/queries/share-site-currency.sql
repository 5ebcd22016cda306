-- The currency of site $1, which nobody can change until the transaction ends (see lock-site-currency).
select currency
from sites
where site_no = $1 and deleted_at is null
for share
