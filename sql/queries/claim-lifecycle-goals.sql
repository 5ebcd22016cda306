-- Notes that the lifecycle goals of site $1 are made; no row when they were before.
update sites
set has_lifecycle_goals = true
where site_no = $1 and not has_lifecycle_goals
returning site_no as "siteNo"
