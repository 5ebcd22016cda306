-- Locks the payments ($1). Whoever changes the ledger row of a payment holds the payment's own row, locked by an earlier
-- statement: of two changes of one row of a hypertable at the same time TimescaleDB (2.28) loses the second and says nothing.
select id
from payments
where id = any($1::uuid[])
order by paid_at, id
for no key update
