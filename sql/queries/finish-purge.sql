-- Keeps the row of site $1, because its number must not be used again, and removes its domain.
update sites
set purged_at = $2, domain = ''
where site_no = $1 and deleted_at is not null
