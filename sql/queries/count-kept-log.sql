-- How many hits of `asked.types` each bucket of `asked.width` has, the newest first; empty buckets are absent.
select time_bucket((select width from asked)::interval, at) as bucket, count(*) as hits
from kept_hits
where type = any((select types from asked)::text[])
group by 1
order by 1 desc
