-- Those of the sites $1 (site_no) that have rows that wait for a visitor.
select site_no as "siteNo"
from unnest($1::int[]) as site (site_no)
where exists (select from awaiting_visitors where awaiting_visitors.site_no = site.site_no)
