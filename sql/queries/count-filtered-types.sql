-- Hits of `asked.types` by bucket and type; buckets as in count-filtered-hits.sql.
select width_bucket(at, (select bounds from asked)) - 1 as bucket, type, count(*) as hits
from filtered_hits
where type = any((select types from asked)::text[])
group by 1, 2
