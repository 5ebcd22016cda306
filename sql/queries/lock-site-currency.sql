-- The currency of site $1, which nobody changes until the transaction ends. Whoever writes something that must be in
-- the site's currency takes the row `for share` before reading it.
select currency
from sites
where site_no = $1 and deleted_at is null
for no key update
