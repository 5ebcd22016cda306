select replay.site_no as "siteNo", replay.session_no as "sessionNo"
from session_replays as replay
join (
  select site_no, replay_days, details_from from sites where deleted_at is null
) as live on live.site_no = replay.site_no
where replay.last_at < :now::timestamptz - make_interval(days => live.replay_days) or replay.session_at < live.details_from
limit :limit::int
