-- The $2 dead letters that failed last, of site $1 or (null) of all sites.
select
  dead_letters.id,
  sites.id as "siteId",
  dead_letters.at,
  dead_letters.reason,
  dead_letters.payload,
  dead_letters.failed_at as "failedAt"
from dead_letters
left join sites on sites.site_no = dead_letters.site_no
where $1::int is null or dead_letters.site_no = $1
order by dead_letters.failed_at desc, dead_letters.id
limit $2
