-- Moves rolled_up_to of a daily rollup of site $1, day [$2, $3), to $4 without a recount: the rows up to $4 change nothing in it.
-- A rollup that another transaction has already moved to $4 or later stays unchanged.
update daily_rollups set rolled_up_to = $4::timestamptz
where site_no = $1::int and starts_at = $2::timestamptz and ends_at = $3::timestamptz
  and rolled_up_to < $4::timestamptz
