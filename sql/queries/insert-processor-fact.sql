-- body is sent as text, since the driver would encode jsonb twice.
insert into processor_facts (
  site_no, event_id, kind, at, object_id, subscription_id, customer_id, sale_ids, visitor_id, body
)
values ($1::int, $2, $3, $4::timestamptz, $5, $6, $7, $8::text[], $9::uuid, $10::text::jsonb)
on conflict (site_no, event_id, kind, object_id) do update set body = excluded.body
