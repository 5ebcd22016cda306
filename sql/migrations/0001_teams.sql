-- Teams, their users, and the tokens of the API.

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
  -- SHA-256 of the token. The token itself is shown once and not stored.
  hash bytea not null unique,
  -- null: every site of the team
  site_ids uuid[],
  -- Token that created this one; null when the command line did. Not a foreign key: it stays when that token is deleted.
  created_by uuid,
  -- Existing tokens between the command line and this one. Deleting one of them removes it from the list, so that the list
  -- cannot grow without bound and descendants stay revocable together.
  made_through uuid[] not null default '{}',
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index tokens_by_team on tokens (team_id, created_at);
create index tokens_by_user on tokens (user_id);
