-- The numbers of those of the texts that have one, by digest ($2), of site $1.
select sha256 as digest, text_no as "textNo"
from value_texts
where site_no = $1::int and sha256 = any($2::uuid[])
