-- Deletes the MRR movements of site $1 in [$2, $3).
delete from mrr_movements
where site_no = $1::int and at >= $2::timestamptz and at < $3::timestamptz
