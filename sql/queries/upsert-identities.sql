-- Updates people from identify hits: the latest hit wins; fields that a hit does not contain stay unchanged.
insert into identities (site_no, identifier, name, avatar, custom, updated_at)
select site_no, identifier, name, avatar, custom::jsonb, updated_at
from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
  as given (site_no, identifier, name, avatar, custom, updated_at)
on conflict (site_no, identifier) do update
set
  name = coalesce(
    case when excluded.updated_at >= identities.updated_at then excluded.name end, identities.name, excluded.name),
  avatar = coalesce(
    case when excluded.updated_at >= identities.updated_at then excluded.avatar end, identities.avatar, excluded.avatar),
  custom = coalesce(
    case when excluded.updated_at >= identities.updated_at then excluded.custom end, identities.custom, excluded.custom),
  updated_at = greatest(identities.updated_at, excluded.updated_at)
