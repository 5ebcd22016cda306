-- Does at once what autovacuum would do later. Must run outside a transaction.
vacuum (analyze)
