-- One lookup for each session of the page: a join would read all visitors of the site.
left join lateral (
  select id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = session.visitor_no limit 1
) as visitors on true
left join lateral (
  select name, avatar
  from identities
  where identities.site_no = :siteNo::int and identities.identifier = session.user_id
  limit 1
) as identities on true
cross join lateral (
  select coalesce(sum(amount_minor - refunded_minor), 0)::text as revenue
  from revenue
  where revenue.session_no = session.session_no and revenue.site_no = :siteNo::int
    and revenue.currency = (select currency from params)
) as paid
