-- The numbers of texts ($2 digest, $3 text) of site $1; those that have none get one.
with
given as materialized (
  select digest, text from unnest($2::uuid[], $3::text[]) as given (digest, text)
),
named as (
  insert into fold_texts (site_no, digest, text)
  -- Not by a conflict alone: each would draw a number.
  select $1::int, digest, text
  from given
  where not exists (select from fold_texts where site_no = $1::int and fold_texts.digest = given.digest)
  on conflict (site_no, digest) do nothing
  returning digest, text_no
)
select digest, text_no as "textNo" from named
union all
select fold_texts.digest, text_no
from given
join fold_texts on site_no = $1::int and fold_texts.digest = given.digest
