-- Sites that were deleted: what is left of them, and when nothing is.

-- Set when the last of a deleted site's data is gone. The row stays, so that its number is never used again.
alter table sites add column purged_at timestamptz;
create index sites_to_purge on sites (deleted_at) where deleted_at is not null and purged_at is null;
-- Icons are asked for by domain alone.
create index sites_by_domain on sites (domain) where deleted_at is null;
create index dead_letters_by_site on dead_letters (site_no);
