cross join (select terms, "afterAt", "afterNo" from params) as wanted
where (
    ('pageviews' = any(terms) and pageviews > 0)
    or ('custom_events' = any(terms) and custom_events > 0)
    or ('visitors' = any(terms) and visitors > 0)
    or ('sessions' = any(terms) and sessions > 0)
    or ('engaged_sessions' = any(terms) and engaged_sessions > 0)
    or ('scrolled_sessions' = any(terms) and scrolled_sessions > 0)
  )
  and ("startedAt", "sessionNo") < ("afterAt"[1], "afterNo")
order by "startedAt" desc, "sessionNo" desc
limit (select "limit" from params)
