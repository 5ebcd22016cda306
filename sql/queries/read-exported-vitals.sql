-- Web vitals of pageviews in [:start, :end), in order after the report :afterId at :afterAt.
select
  id,
  at,
  received_at as "receivedAt",
  received_id as "receivedId",
  session_no as "sessionNo",
  session_at as "sessionAt",
  hostname,
  path,
  lcp,
  inp,
  cls,
  fcp,
  ttfb,
  lcp_target as "lcpTarget",
  inp_target as "inpTarget",
  cls_target as "clsTarget",
  lcp_phase as "lcpPhase",
  inp_phase as "inpPhase",
  fcp_phase as "fcpPhase",
  ttfb_phase as "ttfbPhase"
from web_vitals
where site_no = :siteNo::int
  and at >= :start::timestamptz and at < :end::timestamptz
  and (at, id) > (:afterAt::timestamptz, :afterId::uuid)
order by at, id
limit :limit::int
