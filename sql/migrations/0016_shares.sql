-- Links that let whoever has them read parts of a site. A share that is revoked is deleted.

create table shares (
  id uuid primary key default gen_random_uuid(),
  site_no integer not null references sites on delete cascade,
  name text not null,
  -- SHA-256 of the secret in the link.
  hash bytea not null unique,
  sections text[] not null,
  -- Conditions by dimension, as the API takes them. They apply to every read, beside those of the reader.
  filters jsonb not null default '{}',
  -- Argon2id, in the PHC format. null: the secret is enough.
  password_hash text,
  may_export boolean not null default false,
  expires_at timestamptz,
  created_by uuid references users on delete set null,
  last_used_at timestamptz,
  created_at timestamptz not null
);
create index shares_by_site on shares (site_no);
