-- One row when event $2 of site $1 is new. A second delivery at the same time waits until the first transaction ends.
insert into webhook_events (site_no, event_id, type, created_at)
values ($1::int, $2, $3, $4::timestamptz)
on conflict (site_no, event_id) do nothing
returning event_id as "eventId"
