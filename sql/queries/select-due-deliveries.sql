-- Deliveries that are due, to endpoints that work or to those that fail: the first of each site, then the second of each site, and so
-- on, those that wait longest first; of a team at most `perTeam`. Of an endpoint the oldest events come first. Each endpoint is looked
-- up by itself, so that the queue of one does not hide that of another, and at most 1,000 deliveries of it are put in order. Endpoints,
-- sites and teams that are `busy` get no further attempt now.
with due as (
  select
    delivery.id, endpoint.id as endpoint_id, endpoint.site_no, sites.team_id, delivery.next_at, delivery.event_no,
    row_number() over (partition by endpoint.site_no order by delivery.turn, delivery.event_no, endpoint.id) as turn
  from webhook_endpoints as endpoint
  join sites on sites.site_no = endpoint.site_no and sites.deleted_at is null
  cross join lateral (
    select id, next_at, event_no, row_number() over (order by event_no, next_at, id) as turn
    from (
      select id, next_at, event_no
      from webhook_deliveries
      where endpoint_id = endpoint.id and state = 'pending' and next_at <= :now::timestamptz
      order by next_at, event_no, id
      limit 1000
    ) as waiting
    order by turn
    limit :perEndpoint::int
  ) as delivery
  where
    endpoint.is_enabled
    and {webhook_has_maker}
    and (endpoint.failing_since is not null) = :isFailing::boolean
    and endpoint.id <> all(:busyEndpoints::uuid[])
    and endpoint.site_no <> all(:busySites::int[])
    and sites.team_id <> all(:busyTeams::uuid[])
),
of_teams as (
  select *, row_number() over (partition by team_id order by turn, next_at, event_no) as turn_of_team
  from due
)
select id, endpoint_id as "endpointId", site_no as "siteNo", team_id as "teamId"
from of_teams
where turn_of_team <= :perTeam::int
order by turn, next_at, event_no
limit :limit::int
