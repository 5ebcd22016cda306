-- Deletes and returns the rows that wait for the visitors ($1 site_no, $2 id).
delete from awaiting_visitors
using unnest($1::int[], $2::uuid[]) as appeared (site_no, id)
where awaiting_visitors.site_no = appeared.site_no and awaiting_visitors.visitor_id = appeared.id
returning
  awaiting_visitors.site_no as "siteNo",
  awaiting_visitors.visitor_id as "visitorId",
  awaiting_visitors.target,
  awaiting_visitors.at,
  awaiting_visitors.id
