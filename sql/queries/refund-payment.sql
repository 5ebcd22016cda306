-- Sets the refunded amount of payment $1 to $2, at most its full amount. A payment that was sent as refunded (column refunded)
-- stays fully refunded.
update payments
set refunded_minor = case when refunded then amount_minor else least($2::bigint, amount_minor) end
where id = $1::uuid
returning refunded_minor as "refundedMinor"
