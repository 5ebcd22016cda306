-- Sums of the MRR movements of site $1 in currency $2, before $4, one row for each segment between the edges $3 (ascending;
-- segment 0: everything before the first edge; $4 is the last edge); segments without movements are absent.
-- Sums are numeric, sent as text.
select width_bucket(at, $3::timestamptz[]) as segment, sum(amount_minor)::text as mrr
from mrr_movements
where site_no = $1::int and currency = $2::text and at < $4::timestamptz
group by 1
