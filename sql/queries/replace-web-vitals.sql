-- Replaces the values of reports of web vitals; one array for each column.
update web_vitals
set
  received_at = report.received_at,
  received_id = report.received_id,
  lcp = report.lcp,
  inp = report.inp,
  cls = report.cls,
  fcp = report.fcp,
  ttfb = report.ttfb,
  lcp_target = coalesce(report.lcp_target, ''),
  inp_target = coalesce(report.inp_target, ''),
  cls_target = coalesce(report.cls_target, ''),
  lcp_phase = coalesce(report.lcp_phase, ''),
  inp_phase = coalesce(report.inp_phase, ''),
  fcp_phase = coalesce(report.fcp_phase, ''),
  ttfb_phase = coalesce(report.ttfb_phase, '')
from unnest(
  :visitorNos::int[], :times::timestamptz[], :ids::uuid[], :receivedTimes::timestamptz[], :receivedIds::uuid[], :lcps::int[],
  :inps::int[], :clss::int[], :fcps::int[], :ttfbs::int[], :lcpTargets::text[], :inpTargets::text[], :clsTargets::text[],
  :lcpPhases::text[], :inpPhases::text[], :fcpPhases::text[], :ttfbPhases::text[]
) as report (
  visitor_no, at, id, received_at, received_id, lcp, inp, cls, fcp, ttfb, lcp_target, inp_target, cls_target, lcp_phase,
  inp_phase, fcp_phase, ttfb_phase
)
where web_vitals.visitor_no = report.visitor_no and web_vitals.id = report.id and web_vitals.at = report.at
