-- URL of the avatar of identity $2 of site $1; no row when the identity or the site does not exist.
select identities.avatar
from identities
join sites on sites.site_no = identities.site_no and sites.deleted_at is null
where identities.site_no = $1 and identities.identifier = $2
