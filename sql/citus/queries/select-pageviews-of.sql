-- As the common one, for visitors of several shards.
select distinct on (wanted.visitor_no, wanted.path, wanted.at)
  page.visitor_no as "visitorNo",
  page.session_at as "sessionAt",
  page.path,
  page.id,
  page.at,
  page.title
from unnest(:visitorNos::int[], :paths::text[], :times::timestamptz[]) as wanted (visitor_no, path, at)
join events as page on page.visitor_no = wanted.visitor_no
  and hashtext(page.path) = hashtext(wanted.path)
  and page.path = wanted.path
  and page.at <= wanted.at
where page.site_no = any(:siteNos::int[])
  and page.type = 'pageview'
  and page.at >= :from::timestamptz
  and page.at <= :to::timestamptz
order by wanted.visitor_no, wanted.path, wanted.at, page.at desc, page.id desc
