-- Chunks of the replays of a person that came before :until, in order after the chunk :afterKey at :afterAt; without their data.
select chunk.id, chunk.session_no as session, chunk.at as timestamp, chunk.recording, chunk.position, chunk.hostname, chunk.path, chunk.unpacked
from session_replays as replay
-- One lookup in the index for each session: the plan of a join would depend on estimates.
cross join lateral (
  select *
  from replay_chunks
  where replay_chunks.site_no = :siteNo::int and replay_chunks.session_no = replay.session_no
    and replay_chunks.at >= replay.first_at and replay_chunks.at <= replay.last_at
    and replay_chunks.at >= :afterAt::timestamptz and replay_chunks.at < :until::timestamptz
    and (replay_chunks.at, replay_chunks.id) > (:afterAt::timestamptz, :afterKey::uuid)
  order by replay_chunks.at, replay_chunks.id
  limit :limit::int
) as chunk
where replay.site_no = :siteNo::int
  and replay.last_at >= :afterAt::timestamptz
  and (
    replay.visitor_no = :visitorNo::int
    or exists (
      select from sessions
      where sessions.site_no = :siteNo::int and sessions.started_at = replay.session_at
        and sessions.session_no = replay.session_no and sessions.user_id = nullif(:identifier::text, '')
    )
  )
order by chunk.at, chunk.id
limit :limit::int
