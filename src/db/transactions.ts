import type { Db, Queryable, Transaction } from './connect.ts'

/** Runs statements in a transaction; uses the current transaction if `db` is one. */
export function inTransaction<Result>(
  db: Queryable,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return 'savepoint' in db ? run(db) : (db.begin(run) as Promise<Result>)
}

/** Runs reads that all see the same snapshot of the database. */
export function inSnapshot<Result>(db: Db, read: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return db.begin('isolation level repeatable read read only', read) as Promise<Result>
}
