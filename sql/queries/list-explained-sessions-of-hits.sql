-- As list-explained-sessions, for a value of a dimension of hits: sessions that started in the range have the value in a hit. Their
-- engagement with the value is read only if it is wanted.
select
  {explained_session}
from (
  select *
  from (
    select
      {counts_of_session},
      coalesce(engaged_ms, 0) as engaged_ms,
      coalesce(engaged_sessions, 0)::bigint as engaged_sessions,
      coalesce(scroll_percent, 0) as scroll_percent,
      (coalesce(scroll_depths, 0) > 0)::integer::bigint as scrolled_sessions
    from (
      {hits_of_sessions}
    ) as hit
    full join (
      {started_sessions}
      where session_no in (select session_no from session_hits)
    ) as started using (session_no)
    left join (
      select
        session_no,
        coalesce(sum(engaged_ms), 0)::bigint as engaged_ms,
        1 as engaged_sessions,
        coalesce(max(scroll), 0)::bigint as scroll_percent,
        count(scroll) as scroll_depths
      from engagements
      where (select terms from params)::text[] && array['engaged_sessions', 'scrolled_sessions']
      group by 1
    ) as engaged using (session_no)
  ) as counted
  {page_of_sessions}
) as page
left join visitors on visitors.site_no = :siteNo::int and visitors.visitor_no = page.visitor_no
order by page."startedAt" desc, page."sessionNo" desc
