-- As the common one, for sessions of several shards.
select distinct on (hit.session_no) hit.session_no as "sessionNo", hit.id
from unnest(:siteNos::int[], :sessionNos::bigint[], :times::timestamptz[]) as exit (site_no, session_no, at)
join events as hit on hit.site_no = exit.site_no and hit.at = exit.at and hit.session_no = exit.session_no
where hit.type = 'pageview' and hit.site_no = any(:siteNos::int[])
order by hit.session_no, hit.id desc
