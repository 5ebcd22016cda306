-- What the service wrote of site $1 in [$2, $3), by type and name. Compressed hits have no index that would find them: where
-- nobody ever paid or subscribed there are none, and nothing is looked through.
select type, name, count(*) as hits
from events
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz and is_service
  and (
    exists (select from payments where site_no = $1::int)
    or exists (select from subscriptions where site_no = $1::int)
    or exists (select from milestones where site_no = $1::int)
  )
group by 1, 2
