-- The row stays, so that its number is never used again and the data behind it can be found and removed.
update sites
set deleted_at = $2
where site_no = $1 and deleted_at is null
returning tracking_key as "trackingKey"
