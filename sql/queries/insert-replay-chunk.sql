-- Inserts a chunk of a recording and adds it to the row of its session. The caller knows that the chunk is new.
with
  chunk as (
    insert into replay_chunks (
      site_no, at, session_no, recording, position, hostname, path, first_event_ms, last_event_ms, events, bytes,
      unpacked, data
    )
    values (
      :siteNo::int, :at::timestamptz, :sessionNo::bigint, :recording::uuid, :position::int, :hostname::text, :path::text,
      :firstEventMs::bigint, :lastEventMs::bigint, :events::int, :bytes::int, :unpacked::int, :data::bytea
    )
  )
insert into session_replays as replay (
  site_no, session_no, session_at, visitor_no, first_at, last_at, first_event_ms, last_event_ms, recordings, chunks, bytes
)
values (
  :siteNo::int, :sessionNo::bigint, :sessionAt::timestamptz, :visitorNo::int, :at::timestamptz, :at::timestamptz,
  :firstEventMs::bigint, :lastEventMs::bigint, (:position::int = 0)::int, 1, :bytes::int
)
on conflict (site_no, session_no) do update set
  first_at = least(replay.first_at, excluded.first_at),
  last_at = greatest(replay.last_at, excluded.last_at),
  first_event_ms = least(replay.first_event_ms, excluded.first_event_ms),
  last_event_ms = greatest(replay.last_event_ms, excluded.last_event_ms),
  recordings = replay.recordings + excluded.recordings,
  chunks = replay.chunks + 1,
  bytes = replay.bytes + excluded.bytes
