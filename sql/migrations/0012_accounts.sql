-- Logins of people with their factors and browser sessions, what teams add to them, and the audit log.

create table logins (
  id uuid primary key default gen_random_uuid(),
  -- Lower case. Two people never share one.
  email text not null unique,
  name text,
  -- Argon2id, in the PHC format with its parameters. null: this login has no password.
  password_hash text,
  -- Encrypted with SECRET_KEY. null: no second factor.
  totp_secret bytea,
  -- Time step of the newest code that was accepted: each code works once.
  totp_step bigint,
  disabled_at timestamptz,
  last_login_at timestamptz,
  created_at timestamptz not null default now()
);

-- Codes that stand in for the second factor, each once. Only SHA-256 is stored: they are random.
create table recovery_codes (
  login_id uuid not null references logins on delete cascade,
  hash bytea not null,
  primary key (login_id, hash)
);

create table passkeys (
  -- Credential id, base64url.
  id text primary key,
  login_id uuid not null references logins on delete cascade,
  name text not null,
  public_key bytea not null,
  -- Signature counter; 0 for authenticators that do not count.
  counter bigint not null default 0,
  transports text[] not null default '{}',
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);
create index passkeys_by_login on passkeys (login_id);

-- Who a person is at the provider of single sign-on. The pair is the key: e-mail addresses change hands.
create table oidc_identities (
  issuer text not null,
  subject text not null,
  login_id uuid not null references logins on delete cascade,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index oidc_identities_by_login on oidc_identities (login_id);

create table browser_sessions (
  id uuid primary key default gen_random_uuid(),
  login_id uuid not null references logins on delete cascade,
  -- SHA-256 of the secret in the cookie.
  hash bytea not null unique,
  -- The next request gets a new secret: what the login may do has changed.
  must_renew boolean not null default false,
  -- The secret before the last renewal works a moment longer, for requests that were already on their way.
  previous_hash bytea,
  previous_until timestamptz,
  -- When the person last gave their credentials.
  authenticated_at timestamptz not null,
  user_agent text not null default '',
  -- Network of the address, not the address.
  network text not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index browser_sessions_by_login on browser_sessions (login_id);
create index browser_sessions_by_previous on browser_sessions (previous_hash) where previous_hash is not null;

-- Links that let a person set a login up or get back into it. A link that was used is deleted.
create table one_time_links (
  -- SHA-256 of the secret in the link.
  hash bytea primary key,
  -- setup: makes the login of the memberships with this e-mail address; reset: a person asked for it; recover: the operator made
  -- it, and it removes the second factor, too.
  purpose text not null check (purpose in ('setup', 'reset', 'recover')),
  email text,
  login_id uuid references logins on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  check ((purpose = 'setup') = (login_id is null)),
  check ((purpose = 'setup') = (email is not null))
);

-- A user is the membership of a login in a team. null: nobody has set the login up yet.
alter table users add column login_id uuid references logins on delete set null;
-- null: every site of the team
alter table users add column site_ids uuid[];
alter table users add constraint users_managers_reach_all check (role in ('member', 'viewer') or site_ids is null);
create unique index users_once_a_team on users (login_id, team_id);

create table invitations (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams on delete cascade,
  -- Lower case.
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  site_ids uuid[],
  -- SHA-256 of the secret in the link.
  hash bytea not null unique,
  -- Name of who invited, as it was then.
  invited_by text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  unique (team_id, email)
);
create index invitations_by_email on invitations (email);

-- What a token may do. Tokens from before may do everything.
alter table tokens add column scopes text[] not null default '{read,write,ingest}';

-- Who did what. Entries without a team belong to no team, such as failed logins of unknown addresses.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  team_id uuid references teams on delete cascade,
  action text not null,
  -- The actor as it was then: names stay readable after a person or a token is gone.
  login_id uuid,
  user_id uuid,
  token_id uuid,
  actor text not null,
  -- Network of the address, not the address.
  network text not null,
  object_type text,
  object_id text,
  details jsonb not null default '{}'
);
create index audit_log_by_team on audit_log (team_id, id desc);
create index audit_log_by_time on audit_log (at);
