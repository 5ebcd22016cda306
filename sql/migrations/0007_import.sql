-- What imported hits need: the secret that makes their visitors, drawn at a site's first import. It stays, so that an
-- import that runs again finds the same visitors.
create table import_secrets (
  site_no integer primary key references sites on delete cascade,
  secret bytea not null check (length(secret) = 32)
);

-- An import of years marks hundreds of thousands of buckets; the oldest are taken first.
create index dirty_buckets_by_time on dirty_buckets (aggregate, bucket);
