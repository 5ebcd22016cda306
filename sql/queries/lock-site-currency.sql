-- Currency of site $1, locked against changes until the transaction ends. A transaction that writes rows in the currency of the
-- site must first lock the site's row with `for share`.
select currency
from sites
where site_no = $1 and deleted_at is null
for no key update
