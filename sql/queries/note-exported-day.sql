insert into exported_days (site_no, starts_at, ends_at, version, hits, bytes, exported_at)
values (
  :siteNo::int,
  :startsAt::timestamptz,
  :endsAt::timestamptz,
  :version::uuid,
  :hits::bigint,
  :bytes::bigint,
  :now::timestamptz
)
on conflict (site_no, starts_at, ends_at) do update
set version = excluded.version, hits = excluded.hits, bytes = excluded.bytes, exported_at = excluded.exported_at
