-- Inserts reports of web vitals; one array for each column. Everything else is copied from the pageview. Trailing nulls of an array are
-- not sent, so a text is null where there is none.
insert into web_vitals (
  site_no, at, id, received_at, received_id, lcp, inp, cls, fcp, ttfb, lcp_target, inp_target, cls_target, lcp_phase,
  inp_phase, fcp_phase, ttfb_phase, visitor_no, session_no, session_at, hostname, path, title, {copied_columns}, props
)
select
  report.site_no, page.at, report.id, report.received_at, report.received_id, report.lcp, report.inp, report.cls, report.fcp,
  report.ttfb, coalesce(report.lcp_target, ''), coalesce(report.inp_target, ''), coalesce(report.cls_target, ''),
  coalesce(report.lcp_phase, ''), coalesce(report.inp_phase, ''), coalesce(report.fcp_phase, ''),
  coalesce(report.ttfb_phase, ''), visitor_no, session_no, session_at, hostname, path, title, {copied_columns}, props
from unnest(
  :siteNos::int[], :times::timestamptz[], :pageIds::uuid[], :ids::uuid[], :receivedTimes::timestamptz[], :receivedIds::uuid[],
  :lcps::int[], :inps::int[], :clss::int[], :fcps::int[], :ttfbs::int[], :lcpTargets::text[], :inpTargets::text[],
  :clsTargets::text[], :lcpPhases::text[], :inpPhases::text[], :fcpPhases::text[], :ttfbPhases::text[]
) as report (
  site_no, page_at, page_id, id, received_at, received_id, lcp, inp, cls, fcp, ttfb, lcp_target, inp_target, cls_target,
  lcp_phase, inp_phase, fcp_phase, ttfb_phase
)
-- One lookup in the index for each report: the plan of a join would depend on estimates.
cross join lateral (
  select at, visitor_no, session_no, session_at, hostname, path, title, {copied_columns}, props
  from events
  where site_no = report.site_no and at = report.page_at and id = report.page_id
  limit 1
) as page
