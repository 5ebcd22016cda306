-- Sets whether ($4) payment $3, at time $2, of site $1 is the first of its customer; one row when that changed.
update revenue
set is_first_of_customer = $4::boolean
where
  site_no = $1::int and at = $2::timestamptz and payment_id = $3::uuid and is_first_of_customer <> $4::boolean
returning at
