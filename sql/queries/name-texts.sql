-- The numbers of texts ($2 digest, $3 text) of site $1; those that have none get one.
with
given as materialized (
  select digest, text from unnest($2::uuid[], $3::text[]) as given (digest, text)
),
named as (
  insert into value_texts (site_no, sha256, text)
  -- Not by a conflict alone: each would draw a number.
  select $1::int, digest, text
  from given
  where not exists (select from value_texts where site_no = $1::int and sha256 = given.digest)
  on conflict (site_no, sha256) do nothing
  returning sha256, text_no
)
select sha256 as digest, text_no as "textNo" from named
union all
select sha256, text_no
from given
join value_texts on site_no = $1::int and sha256 = given.digest
