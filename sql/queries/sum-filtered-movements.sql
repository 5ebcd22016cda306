-- Sums of the filtered movements in `asked.currency` by bucket; buckets as in count-filtered-hits.sql, −1: everything before the
-- first.
-- Sums are numeric, sent as text.
select width_bucket(at, (select bounds from asked)) - 1 as bucket, sum(amount_minor)::text as mrr
from filtered_movements
where currency = (select currency from asked)
group by 1
