-- value_id of each of :values, whose digests are :digests. Adds values that are not in the dictionary.
with
given as materialized (
  select digest, value from unnest(:digests::uuid[], :values::text[]) as given (digest, value)
),
known as materialized (
  select sha256, value_id
  from value_dictionary
  where site_no = :siteNo::int and sha256 = any(:digests::uuid[])
),
added as (
  insert into value_dictionary (site_no, sha256, value)
  -- "on conflict" alone is not enough: each conflict would consume a value_id.
  select :siteNo::int, digest, value
  from given
  where digest not in (select sha256 from known)
  on conflict (site_no, sha256) do nothing
  returning sha256, value_id
)
select sha256 as digest, value_id as "valueId" from added
union all
select sha256, value_id from known
