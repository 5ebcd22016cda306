-- Web vitals of a person in [:start, :end), in order after the report :afterKey at :afterAt.
select
  id, session_no as session, at as timestamp, received_at, hostname, path, lcp, inp, (cls / 10000.0)::float8 as cls, fcp,
  ttfb, lcp_target, inp_target, cls_target, lcp_phase, inp_phase, fcp_phase, ttfb_phase
from web_vitals
where site_no = :siteNo::int
  and at >= :start::timestamptz and at < :end::timestamptz
  and (at, id) > (:afterAt::timestamptz, :afterKey::uuid)
  and (
    visitor_no = :visitorNo::int
    or exists (
      select from sessions
      where sessions.site_no = :siteNo::int and sessions.started_at = web_vitals.session_at
        and sessions.session_no = web_vitals.session_no and sessions.user_id = nullif(:identifier::text, '')
    )
  )
order by at, id
limit :limit::int
