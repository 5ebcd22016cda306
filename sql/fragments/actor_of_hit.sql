-- One lookup for each hit of the page: a join would read all visitors of the site.
left join lateral (
  select id from visitors where visitors.site_no = :siteNo::int and visitors.visitor_no = hit.visitor_no limit 1
) as visitors on true
left join lateral (
  select started_at, session_no, user_id
  from sessions
  where sessions.site_no = :siteNo::int
    and sessions.started_at = hit.session_at
    and sessions.session_no = hit.session_no
  limit 1
) as session on true
left join lateral (
  select name, avatar
  from identities
  where identities.site_no = :siteNo::int and identities.identifier = session.user_id
  limit 1
) as identities on true
