-- Stores the present state of subscription $2 of site $1, from the newest facts. state is sent as text.
insert into subscriptions (site_no, subscription_id, customer_id, currency, status, mrr_minor, state)
values ($1::int, $2, $3, $4, $5, $6::bigint, $7::text::jsonb)
on conflict (site_no, subscription_id) do update set
  customer_id = excluded.customer_id,
  currency = excluded.currency,
  status = excluded.status,
  mrr_minor = excluded.mrr_minor,
  state = excluded.state,
  updated_at = now()
