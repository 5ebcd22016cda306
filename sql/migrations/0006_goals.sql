create table goals (
  id uuid primary key default gen_random_uuid(),
  -- Order of creation: goals of one batch share created_at.
  goal_no bigint generated always as identity,
  site_no integer not null references sites on delete cascade,
  display_name text not null,
  type text not null
    check (type in ('page', 'event', 'scroll', 'outbound', 'download', 'button', 'form', 'copy')),
  match_value text,
  match_operator text not null,
  -- Percent; -1 for goals that are not about scrolling.
  scroll_threshold smallint not null default -1,
  currency text,
  custom_props jsonb not null default '{}',
  created_at timestamptz not null default now(),
  unique (site_no, display_name)
);
