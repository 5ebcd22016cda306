-- As the common one, for reports of several shards.
insert into web_vitals (
  site_no, at, id, received_at, received_id, lcp, inp, cls, fcp, ttfb, lcp_target, inp_target, cls_target, lcp_phase,
  inp_phase, fcp_phase, ttfb_phase, visitor_no, session_no, session_at, hostname, path, title, {copied_columns}, props
)
select
  page.site_no, page.at, report.id, report.received_at, report.received_id, report.lcp, report.inp, report.cls, report.fcp,
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
join events as page on page.site_no = report.site_no and page.at = report.page_at and page.id = report.page_id
where page.site_no = any(:siteNos::int[])
