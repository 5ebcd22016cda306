-- Sets how much of payment $1 was given back: $2, or all of it when that is more.
update payments
set refunded_minor = least($2::bigint, amount_minor), refunded = $2::bigint >= amount_minor
where id = $1::uuid
returning refunded_minor as "refundedMinor"
