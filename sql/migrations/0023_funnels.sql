-- Saved funnels of a site.

create table funnels (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null references sites on delete cascade,
  name text not null,
  -- Steps as the API takes them; the definition of a goal that is deleted takes the place of its id.
  steps jsonb not null,
  step_order text not null check (step_order in ('loose', 'strict')),
  -- null: within one session.
  window_seconds integer check (window_seconds between 3600 and 2592000),
  counted text not null check (counted in ('visitor', 'session')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (site_no, name)
);
