-- Makes an event of each conversion, and stores the fields of each hit that made one, once.
with made as (
  insert into outgoing_events (site_no, type, key, occurred_at, created_at, data, hit_id, visitor_id)
  select :siteNo::int, 'goal.converted', key, at, :now::timestamptz, data, hit_id, visitor_id
  from unnest(:keys::text[], :times::timestamptz[], :datas::text[], :hitIds::uuid[], :visitorIds::uuid[])
    with ordinality as conversion (key, at, data, hit_id, visitor_id, position)
  order by position
  on conflict (site_no, key) do nothing
  returning hit_id
)
insert into outgoing_hits (site_no, hit_id, data)
select :siteNo::int, told.hit_id, told.data
from unnest(:toldIds::uuid[], :toldDatas::text[]) as told (hit_id, data)
where told.hit_id in (select hit_id from made)
on conflict (site_no, hit_id) do nothing
