-- Who may do what: teams, their people, their tokens, their sites.

create table teams (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  plan text not null check (plan in ('active', 'trial', 'lapsed', 'none')),
  trial_ends_at timestamptz,
  created_at timestamptz not null default now(),
  check ((plan = 'trial') = (trial_ends_at is not null))
);

create table users (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default now(),
  unique (team_id, email)
);

create table tokens (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users on delete cascade,
  name text not null,
  -- SHA-256 of the token; the token itself is shown once and kept nowhere.
  hash bytea not null unique,
  -- null: every site of the team
  site_ids uuid[],
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index tokens_by_team on tokens (team_id, created_at);

create table sites (
  -- The dense number that stands for the site inside hypertables; never used again after a deletion.
  site_no integer generated always as identity primary key,
  id uuid not null unique default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  domain text not null,
  tracking_key uuid not null unique default gen_random_uuid(),
  timezone text not null default 'UTC',
  currency text not null default 'USD',
  tracking_mode text not null default 'cookieless' check (tracking_mode in ('cookieless', 'cookie')),
  is_public boolean not null default false,
  is_pinned boolean not null default false,
  track_errors boolean not null default false,
  track_web_vitals boolean not null default false,
  track_session_replay boolean not null default false,
  -- Time of the earliest pageview or event; null until there is one.
  first_event_at timestamptz,
  created_at timestamptz not null default now(),
  -- Set by DELETE; from then on nothing of the site is served or stored, and its data is purged.
  deleted_at timestamptz
);
create unique index sites_domain_once_a_team on sites (team_id, domain) where deleted_at is null;
