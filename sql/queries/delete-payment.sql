-- Payment $3, at $2, of site $1, its ledger row and its other ids.
with gone as (
  delete from revenue where site_no = $1::int and at = $2::timestamptz and payment_id = $3::uuid
)
delete from payments where id = $3::uuid
