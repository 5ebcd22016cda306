-- Sets how much of payment $1 was given back: $2, or all of it when that is more. Whoever sent it as refunded has the word:
-- the column refunded holds what they said, and all of it stays given back.
update payments
set refunded_minor = case when refunded then amount_minor else least($2::bigint, amount_minor) end
where id = $1::uuid
returning refunded_minor as "refundedMinor"
