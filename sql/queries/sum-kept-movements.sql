-- Sums of kept movements in `asked.currency` by bucket; buckets as in count-kept-hits.sql, −1 is everything before the first.
-- Numeric, sent as text.
select width_bucket(at, (select bounds from asked)) - 1 as bucket, sum(amount_minor)::text as mrr
from kept_movements
where currency = (select currency from asked)
group by 1
