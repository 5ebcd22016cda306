-- Records that the lifecycle goals of site $1 exist; no row when this was recorded before.
update sites
set has_lifecycle_goals = true
where site_no = $1 and not has_lifecycle_goals
returning site_no as "siteNo"
