-- Sources are one whatever their case. New sessions get the first of the spellings; the others are of sessions that are stored with them.
create table source_spellings (
  site_no integer not null,
  -- First half of the SHA-256 of the source in lower case.
  sha256 uuid not null,
  spellings text[] not null check (cardinality(spellings) > 0),
  primary key (site_no, sha256)
);

insert into source_spellings (site_no, sha256, spellings)
select site_no, encode(substr(sha256(convert_to(lower(source), 'UTF8')), 1, 16), 'hex')::uuid, array_agg(source order by first_at, source)
from (
  select site_no, source, min(started_at) as first_at
  from sessions
  group by site_no, source
) as stored
group by site_no, lower(source);
