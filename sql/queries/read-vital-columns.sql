-- Web vitals of the sessions of site :siteNo that started in [:from, :to); their pageviews lie in [:earliest, :latest). A JSON array for
-- each column, all in the same order. values: a JSON array for path, title and hostname of the pageview. All are null without reports.
select
  json_agg(session_no) as "sessionNos",
  json_agg((extract(epoch from at) * 1000)::bigint) as at,
  json_build_array(json_agg(path), json_agg(title), json_agg(hostname)) as "values",
  json_agg(props) as properties,
  json_agg(lcp) as lcp,
  json_agg(inp) as inp,
  json_agg(cls) as cls,
  json_agg(fcp) as fcp,
  json_agg(ttfb) as ttfb,
  json_agg(lcp_target) as "lcpTarget",
  json_agg(inp_target) as "inpTarget",
  json_agg(cls_target) as "clsTarget",
  json_agg(lcp_phase) as "lcpPhase",
  json_agg(inp_phase) as "inpPhase",
  json_agg(fcp_phase) as "fcpPhase",
  json_agg(ttfb_phase) as "ttfbPhase"
from web_vitals
where site_no = :siteNo::int and at >= :earliest::timestamptz and at < :latest::timestamptz
  and session_at >= :from::timestamptz and session_at < :to::timestamptz
