-- What is folded of the dimensions $4 for one day of site $1.
select dimension, counts, visitors
from value_folds
where site_no = $1::int and starts_at = $2::timestamptz and ends_at = $3::timestamptz and dimension = any($4::text[])
