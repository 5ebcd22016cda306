-- The row of site $1 stays for its number; of its domain nothing does.
update sites
set purged_at = $2, domain = ''
where site_no = $1 and deleted_at is not null
