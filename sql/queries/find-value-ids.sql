-- value_id of the values of site $1 with the digests $2; values that are not in the dictionary are absent.
select sha256 as digest, value_id as "valueId"
from value_dictionary
where site_no = $1::int and sha256 = any($2::uuid[])
