-- What autovacuum does in its own time. Not inside a transaction.
vacuum (analyze)
