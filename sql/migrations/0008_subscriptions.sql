-- The payment processor's events, and the subscriptions and MRR movements derived from them. Amounts are minor units.

create table processor_connections (
  site_no integer primary key references sites on delete cascade,
  provider text not null check (provider = 'stripe'),
  -- AES-256-GCM under SECRET_KEY
  webhook_secret bytea not null,
  api_key bytea,
  connected_at timestamptz not null default now()
);

create table webhook_events (
  site_no integer not null,
  event_id text not null,
  type text not null,
  created_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (site_no, event_id)
);

-- One row an event and object, reduced to what payments, lifecycle events and MRR are derived from. All states are kept: they
-- are ordered by the time of the event, and a late one changes what was derived from newer ones.
create table processor_facts (
  site_no integer not null,
  event_id text not null,
  kind text not null,
  -- By the processor's clock.
  at timestamptz not null,
  object_id text not null,
  subscription_id text,
  customer_id text,
  -- Ids of one sale at the processor: invoice, payment intent, charge.
  sale_ids text[] not null,
  -- Visitor that the shop named.
  visitor_id uuid,
  body jsonb not null,
  primary key (site_no, event_id, kind, object_id)
);
create index processor_facts_by_subscription on processor_facts (site_no, subscription_id)
  where subscription_id is not null;
create index processor_facts_by_customer on processor_facts (site_no, customer_id) where customer_id is not null;
create index processor_facts_by_object on processor_facts (site_no, kind, object_id);
-- Without fastupdate every event would scan the list of pending entries.
create index processor_facts_by_sale on processor_facts using gin (sale_ids) with (fastupdate = off);

create table subscriptions (
  site_no integer not null,
  subscription_id text not null,
  customer_id text,
  currency text not null,
  status text not null,
  mrr_minor bigint not null,
  state jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (site_no, subscription_id)
);
create index subscriptions_by_customer on subscriptions (site_no, customer_id) where customer_id is not null;

-- Append-only: a correction is another row of the kind it corrects.
create table mrr_movements (
  site_no integer not null,
  at timestamptz not null,
  id uuid not null default gen_random_uuid(),
  subscription_id text not null,
  kind text not null check (kind in ('start', 'end', 'upgrade', 'downgrade')),
  currency text not null,
  -- signed
  amount_minor bigint not null,
  visitor_no integer,
  session_no bigint,
  session_at timestamptz,
  recorded_at timestamptz not null default now()
);
select create_hypertable('mrr_movements', by_range('at', interval '30 days'), create_default_indexes => false);
create unique index mrr_movements_once on mrr_movements (site_no, at, id);
create index mrr_movements_by_subscription on mrr_movements (site_no, subscription_id);

-- The lifecycle events that the service wrote for each subscription, to find those that a late processor event makes wrong.
create table lifecycle_events (
  site_no integer not null,
  subscription_id text not null,
  name text not null,
  -- Processor event or invoice that it was derived from.
  key text not null,
  at timestamptz not null,
  visitor_id uuid,
  primary key (site_no, subscription_id, name, key)
);

-- Subscriptions to recompute when a coupon or price changes: one row an object and subscription, or customer, that ever had it.
create table price_dependents (
  site_no integer not null,
  -- Coupon or price.
  object_id text not null,
  -- Subscription, or customer for all subscriptions of that customer.
  holder_id text not null,
  is_customer boolean not null,
  primary key (site_no, object_id, holder_id, is_customer)
);

-- Subscriptions that wait to be recomputed: too many for the transaction of the event that changed them.
create table recompute_queue (
  site_no integer not null,
  subscription_id text not null,
  primary key (site_no, subscription_id)
);
