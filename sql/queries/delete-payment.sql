-- Payment $1 and its other ids. Before its ledger row, in a statement of its own (see lock-payments).
delete from payments where id = $1::uuid
