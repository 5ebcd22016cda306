-- What is folded of those of the sites $1 of which anything is.
select site_no as "siteNo", timezone as "foldedZone", folded_from as "foldedFrom"
from fold_spans
where site_no = any($1::int[])
