-- Conversions of site :siteNo by goal: of hits in [:hitsFrom, :hitsTo), and of pageviews in [:start, :end) whose first engagement
-- that reached the threshold lies in [:seenFrom, :seenTo). Without events of the service. Target rows: :hit… and :scroll…
-- visitors: array_send bytes of visitor_no.
-- One branch for each column that is compared: each is a hash join by one text, and is left out where no goal needs it.
with
hit_target as materialized (
  select kind, value, props::jsonb as props, goal
  from unnest(:hitKinds::text[], :hitValues::text[], :hitProps::text[], :hitGoals::int[]) as given (kind, value, props, goal)
),
scroll_target as materialized (
  select path, threshold, goal
  from unnest(:scrollPaths::text[], :thresholds::int[], :scrollGoals::int[]) as given (path, threshold, goal)
),
-- The first pageview that an engagement of the slice belongs to: its earlier engagements may have reached the threshold.
scrolled_since as materialized (
  select min(page_at) as at
  from events
  where cardinality(:scrollPaths::text[]) > 0
    and site_no = :siteNo::int and at >= :seenFrom::timestamptz and at < :seenTo::timestamptz and type = 'engagement'
    and page_at >= :start::timestamptz and page_at < :end::timestamptz
)
select
  goal,
  count(*) as conversions,
  coalesce(sum(revenue_minor) filter (where revenue_currency = (:currencies::text[])[goal + 1]), 0)::text as revenue,
  array_send(array_agg(distinct visitor_no) filter (where visitor_no is not null)) as visitors
from (
  select goal, visitor_no, null::bigint as revenue_minor, null::text as revenue_currency
  from events
  join hit_target on kind = 'pageview' and hit_target.value = events.path
  where 'pageview' = any(:hitKinds::text[])
    and site_no = :siteNo::int and at >= :hitsFrom::timestamptz and at < :hitsTo::timestamptz
    and type = 'pageview' and not is_service
  union all
  select goal, visitor_no, revenue_minor, revenue_currency
  from events
  join hit_target on kind = 'event' and hit_target.value = events.name
  where 'event' = any(:hitKinds::text[])
    and site_no = :siteNo::int and at >= :hitsFrom::timestamptz and at < :hitsTo::timestamptz
    and type = 'event' and not is_service
    and (hit_target.props is null or events.props @> hit_target.props)
  union all
  select goal, visitor_no, revenue_minor, revenue_currency
  from events
  join hit_target on hit_target.value = coalesce(events.props ->> 'selector', '') and kind = type
  where exists (select from unnest(:hitKinds::text[]) as kind where kind not in ('pageview', 'event'))
    and site_no = :siteNo::int and at >= :hitsFrom::timestamptz and at < :hitsTo::timestamptz
    and type = any(:hitKinds::text[]) and type not in ('pageview', 'event') and not is_service
  union all
  select goal, visitor_no, null, null
  from (
    select goal, visitor_no
    from events
    join scroll_target on scroll_target.path = events.path
    where cardinality(:scrollPaths::text[]) > 0
      and site_no = :siteNo::int and at >= (select at from scrolled_since) and at < :seenTo::timestamptz
      and type = 'engagement' and page_at >= :start::timestamptz and page_at < :end::timestamptz
    group by goal, threshold, events.path, page_at, visitor_no, session_no
    having min(at) filter (where scroll >= threshold) >= :seenFrom::timestamptz
  ) as scrolled
) as conversion
group by goal
