-- Deletes payment $1 and its aliases. Run it before its ledger row is deleted, as a separate statement (see lock-payments).
delete from payments where id = $1::uuid
