-- Identities of a site after :after, by identifier; only of users of sessions that started in [:start, :end) unless :isWhole.
select identifier, name, avatar, custom::text as custom, updated_at as "updatedAt"
from identities
where site_no = :siteNo::int
  and identifier > :after::text
  and (
    :isWhole::boolean
    or exists (
      select from sessions
      where sessions.site_no = :siteNo::int and sessions.user_id = identities.identifier and sessions.user_id <> ''
        and sessions.started_at >= :start::timestamptz and sessions.started_at < :end::timestamptz
    )
  )
order by identifier
limit :limit::int
