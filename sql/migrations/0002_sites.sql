-- Sites with their options.

create table sites (
  -- Dense number that stands for the site in hypertables. Never used again after a deletion.
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
  -- When set, an identify hit must carry the HMAC of its identifier under this secret. Encrypted with SECRET_KEY.
  identify_secret bytea,
  -- The default goals of a payment processor are created once a site, even if they are deleted and a processor connects again.
  has_lifecycle_goals boolean not null default false,
  -- Time of the earliest pageview or event; null before the first one.
  first_event_at timestamptz,
  created_at timestamptz not null default now(),
  -- Set by DELETE. From then on nothing of the site is served or stored, and its data is purged.
  deleted_at timestamptz,
  -- Set when the last row of a deleted site is gone. The site's row stays, so that its number is not used again.
  purged_at timestamptz
);
create unique index sites_domain_once_a_team on sites (team_id, domain) where deleted_at is null;
-- Site icons are requested by domain alone.
create index sites_by_domain on sites (domain) where deleted_at is null;
create index sites_to_purge on sites (deleted_at) where deleted_at is not null and purged_at is null;

-- Secret that derives the visitors of imported hits, drawn at a site's first import. It stays, so that repeating an import
-- gives the same visitors.
create table import_secrets (
  site_no integer primary key references sites on delete cascade,
  secret bytea not null check (length(secret) = 32)
);
