-- Hits of `asked.types` by 15-minute bucket; `bucket` in Unix milliseconds.
select (extract(epoch from time_bucket(interval '15 minutes', at)) * 1000)::bigint as bucket, count(*) as hits
from filtered_hits
where type = any((select types from asked)::text[])
group by 1
