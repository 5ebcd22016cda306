-- Nothing happened that the fold would have to hold. One that was folded on meanwhile stays.
update day_folds set folded_to = $4::timestamptz
where site_no = $1::int and starts_at = $2::timestamptz and ends_at = $3::timestamptz
  and folded_to < $4::timestamptz
