-- Money that came in, and the ledger of monthly recurring revenue. All amounts are minor units.

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

create table payments (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null,
  transaction_id text not null,
  amount_minor bigint not null check (amount_minor > 0),
  refunded_minor bigint not null default 0,
  currency text not null,
  visitor_id uuid,
  session_id uuid,
  email text,
  name text,
  customer_id text,
  renewal boolean not null default false,
  refunded boolean not null default false,
  is_free_trial boolean not null default false,
  recurring boolean not null default false,
  paid_at timestamptz not null,
  source text not null check (source in ('api', 'processor')),
  created_at timestamptz not null default now(),
  unique (site_no, transaction_id)
);

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

-- One row a payment, at the time it was made.
create table revenue (
  site_no integer not null,
  at timestamptz not null,
  payment_id uuid not null,
  currency text not null,
  amount_minor bigint not null,
  refunded_minor bigint not null default 0,
  is_recurring boolean not null,
  is_first_of_customer boolean not null default false,
  visitor_no integer,
  session_no bigint,
  session_at timestamptz
);
select create_hypertable('revenue', by_range('at', interval '30 days'), create_default_indexes => false);
create unique index revenue_once on revenue (site_no, at, payment_id);

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
