-- A page of the sessions that add to one of some counts (`terms`), the newest first, with what they add: by hits of the range, and by
-- having started in it. `afterAt` is after all times on the first page.
select
  {explained_session}
from (
  select *
  from (
    select
      {counts_of_session},
      {no_engagement}
    from (
      {hits_of_sessions}
    ) as hit
    full join (
      {started_sessions}
    ) as started using (session_no)
  ) as counted
  {page_of_sessions}
) as page
left join visitors on visitors.site_no = :siteNo::int and visitors.visitor_no = page.visitor_no
order by page."startedAt" desc, page."sessionNo" desc
