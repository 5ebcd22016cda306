-- value_id of each value ($2 digest, $3 value) of site $1. Adds values that are not in the dictionary.
with
given as materialized (
  select digest, text from unnest($2::uuid[], $3::text[]) as given (digest, text)
),
named as (
  insert into value_dictionary (site_no, sha256, value)
  -- "on conflict" alone is not enough: each conflict would consume a value_id.
  select $1::int, digest, text
  from given
  where not exists (select from value_dictionary where site_no = $1::int and sha256 = given.digest)
  on conflict (site_no, sha256) do nothing
  returning sha256, value_id
)
select sha256 as digest, value_id as "valueId" from named
union all
select sha256, value_id
from given
join value_dictionary on site_no = $1::int and sha256 = given.digest
