-- Sums of the MRR movements of site $1 in currency $2, one row a segment between the edges ($3, ascending; segment 0 is
-- everything before the first, nothing is looked at from the last on); segments without movements are absent.
-- Numeric, sent as text.
select width_bucket(at, $3::timestamptz[]) as segment, sum(amount_minor)::text as mrr
from mrr_movements
where site_no = $1::int and currency = $2::text and at < $4::timestamptz
group by 1
