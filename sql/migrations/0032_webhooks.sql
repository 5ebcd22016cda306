-- Outgoing webhooks (docs/decisions/045-outgoing-webhooks.md).

create table webhook_endpoints (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null references sites on delete cascade,
  name text not null,
  -- `signed`: our JSON with a signature. `slack` and `discord`: what their incoming webhooks take.
  format text not null check (format in ('signed', 'slack', 'discord')),
  -- AES-256-GCM under SECRET_KEY: addresses of Slack and Discord are secrets themselves.
  url bytea not null,
  -- What lists show of it.
  shown_url text not null,
  kinds text[] not null,
  -- AES-256-GCM under SECRET_KEY; null unless `signed`.
  secret bytea,
  -- Signs too until `previous_secret_until`.
  previous_secret bytea,
  previous_secret_until timestamptz,
  is_enabled boolean not null default true,
  -- Creation, or the last time it was switched on: earlier events are not sent.
  active_since timestamptz not null,
  -- First of the failed attempts since the last success, and their number.
  failing_since timestamptz,
  failures integer not null default 0,
  -- When the service switched it off; null when a person did.
  given_up_at timestamptz,
  -- Whether the mail about that is still to be sent.
  is_notice_due boolean not null default false,
  -- Events that its full queue had no room for.
  dropped bigint not null default 0,
  created_at timestamptz not null,
  check ((format = 'signed') = (secret is not null))
);
create index webhook_endpoints_by_site on webhook_endpoints (site_no);
create index webhook_endpoints_with_notice on webhook_endpoints (id) where is_notice_due;

-- What happened and is sent to endpoints. Written in the transaction that stores it.
create table outgoing_events (
  id uuid primary key default gen_random_uuid(),
  event_no bigint generated always as identity,
  site_no integer not null,
  type text not null,
  -- What it reports: the same thing makes no second event.
  key text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  -- JSON
  data text not null,
  -- Person that it is about, so that an erasure finds it: visitor, and customer as in `payments.customer`.
  visitor_id uuid,
  customer text,
  -- Endpoints that get it; null for those that have chosen its type.
  endpoint_ids uuid[],
  -- Whether its deliveries are made.
  is_spread boolean not null default false,
  unique (site_no, key)
);
create index outgoing_events_to_spread on outgoing_events (event_no) where not is_spread;
create index outgoing_events_by_age on outgoing_events (created_at);
create index outgoing_events_by_visitor on outgoing_events (site_no, visitor_id) where visitor_id is not null;
create index outgoing_events_by_customer on outgoing_events (site_no, customer) where customer is not null;

-- One row an event and endpoint. No foreign keys from here on: their checks run one row at a time by a plan that was made when the
-- tables were empty. What belongs to a row is deleted with it, by the same statement.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  -- No attempt begins later.
  retry_until timestamptz not null,
  -- Next attempt; while one runs, when it counts as lost.
  next_at timestamptz not null,
  finished_at timestamptz,
  unique (event_id, endpoint_id)
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_at) where state = 'pending';
create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, created_at, id);
create index webhook_deliveries_by_site on webhook_deliveries (site_no);

create table webhook_attempts (
  site_no integer not null,
  delivery_id uuid not null,
  number integer not null,
  at timestamptz not null,
  took_ms integer not null,
  -- HTTP status; null without an answer.
  status integer,
  -- First bytes of the answer.
  answer text not null,
  -- Why there was no answer, or why it is none that counts; null after a success.
  error text,
  primary key (delivery_id, number)
);
create index webhook_attempts_by_site on webhook_attempts (site_no);

-- Whether stored hits of the site are noted in `goal_candidates`: only where something waits for conversions.
alter table sites add column watches_goals boolean not null default false;

-- Hits that were stored and not yet compared with goals: one row a site and transaction.
create table goal_candidates (
  candidate_no bigint generated always as identity primary key,
  site_no integer not null,
  times timestamptz[] not null,
  ids uuid[] not null
);
create index goal_candidates_by_site on goal_candidates (site_no);

-- Time of the processor's event that made a subscription wait: its changes are announced. Null where nothing is announced.
alter table recompute_queue add column announced_at timestamptz;
