-- Hits of `asked.types` by quarter of an hour, Unix milliseconds.
select (extract(epoch from time_bucket(interval '15 minutes', at)) * 1000)::bigint as bucket, count(*) as hits
from kept_hits
where type = any((select types from asked)::text[])
group by 1
