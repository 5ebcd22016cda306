-- Locks the payments $1. Every transaction that changes the ledger row of a payment must first lock the row of the payment, in an
-- earlier statement: when two transactions change one row of a hypertable at the same time, TimescaleDB (2.28) loses the second
-- change without an error.
select id
from payments
where id = any($1::uuid[])
order by paid_at, id
for no key update
