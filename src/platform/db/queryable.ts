import type postgres from 'postgres'

/** A pool of connections. */
export type Db = postgres.Sql<{ bigint: number }>
export type Transaction = postgres.TransactionSql<{ bigint: number }>
/** A pool or a transaction: both run statements. */
export type Queryable = Db | Transaction
