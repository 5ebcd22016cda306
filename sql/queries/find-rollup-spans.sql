-- Time zone and start of the rollups of the sites $1; sites without rollups are absent.
select site_no as "siteNo", timezone as "rolledUpZone", rolled_up_from as "rolledUpFrom"
from rollup_spans
where site_no = any($1::int[])
