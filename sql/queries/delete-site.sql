-- The row stays: its number must not be used again, and the purge needs it to find the data of the site.
update sites
set deleted_at = $2
where site_no = $1 and deleted_at is null
returning tracking_key as "trackingKey"
