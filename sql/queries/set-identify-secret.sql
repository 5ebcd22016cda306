-- Sets the encrypted secret ($2, null for none) of site $1; no row when the site is deleted, or has no secret to remove.
update sites
set identify_secret = $2::bytea
where site_no = $1 and deleted_at is null and ($2::bytea is not null or identify_secret is not null)
returning site_no as "siteNo"
