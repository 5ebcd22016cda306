import type postgres from 'postgres'
import type { Queryable } from '../../db/connect.ts'

/** SQL is composed only in this folder, from fragments of the driver: each value in a fragment becomes a parameter. */
export type Fragment = postgres.Fragment

/** Concatenates fragments. Without this, the driver would make a parameter of an empty list. */
export const concat = (db: Queryable, parts: Fragment[]): Fragment => (parts.length > 0 ? db`${parts}` : db``)
