-- Alerts: rules of a site that are checked every few minutes (docs/notifications.md "Alerts").

create table alert_rules (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null references sites on delete cascade,
  name text not null,
  kind text not null,
  -- The condition as in the API.
  condition jsonb not null,
  -- Set for conditions on a goal.
  goal_id uuid,
  emails text[] not null,
  -- Webhooks that are told, whatever events they have chosen.
  endpoint_ids uuid[] not null,
  is_enabled boolean not null default true,
  -- Creation, change of the condition, or the last time it was switched on: what happened before does not count.
  active_since timestamptz not null,
  checked_at timestamptz,
  -- While an incident is open: since when the condition is not met any more.
  clear_since timestamptz,
  created_at timestamptz not null
);
create index alert_rules_by_site on alert_rules (site_no);
create index alert_rules_to_check on alert_rules (checked_at nulls first) where is_enabled;

create table alert_incidents (
  id uuid primary key default gen_random_uuid(),
  rule_id uuid not null,
  site_no integer not null,
  -- As it was when the incident opened: the rule may have another name by now, or be gone.
  rule_name text not null,
  kind text not null,
  text text not null,
  value double precision not null,
  -- What the value is compared with.
  bound double precision not null,
  opened_at timestamptz not null,
  resolved_at timestamptz
);
create unique index alert_incidents_open on alert_incidents (rule_id) where resolved_at is null;
create index alert_incidents_by_site on alert_incidents (site_no, opened_at, id);

-- Mails of incidents, written with their state. One row a state and address: no mail is sent twice.
create table alert_mails (
  incident_id uuid not null,
  state text not null check (state in ('opened', 'resolved', 'test')),
  address text not null,
  site_no integer not null,
  subject text not null,
  text text not null,
  created_at timestamptz not null,
  -- When it is tried next.
  next_at timestamptz not null,
  -- When it was handed to the mail server; set before.
  sent_at timestamptz,
  primary key (incident_id, state, address)
);
create index alert_mails_waiting on alert_mails (next_at) where sent_at is null;
create index alert_mails_by_site on alert_mails (site_no, created_at);

-- Conversions of the last days on sites with an alert on a goal; each once.
create table goal_conversions (
  site_no integer not null,
  key text not null,
  goal_id uuid not null,
  at timestamptz not null,
  primary key (site_no, key)
);
create index goal_conversions_by_goal on goal_conversions (site_no, goal_id, at);
create index goal_conversions_by_age on goal_conversions (at);

-- When rules were checked last, and since when without an interruption: while the service is away no hits come in.
create table alert_clock (
  id integer primary key default 1 check (id = 1),
  checked_at timestamptz not null,
  running_since timestamptz not null
);

-- Newest of the hits that were imported as they happened: rules do not take them for traffic.
alter table sites add column imported_until timestamptz;
