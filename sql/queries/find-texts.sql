-- The numbers of those of the texts that have one, by digest ($2), of site $1.
select digest, text_no as "textNo"
from fold_texts
where site_no = $1::int and digest = any($2::uuid[])
