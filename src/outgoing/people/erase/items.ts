import type { Queryable } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'

/** A running erasure. */
export interface Erasure {
  id: string
  siteNo: number
  /** As it was asked for: a visitor id or an identifier. */
  person: string
  requestedAt: Date
  step: Step
  /** Time that the walk of the present step has reached; null before its first slice. */
  reached: Date | null
}

/** Steps of an erasure, in order. */
export const STEPS = ['prepare', 'sessions', 'resolve', 'money', 'rest', 'visitors', 'values'] as const
export type Step = (typeof STEPS)[number]

/** `more`: the time limit stopped the step. `waiting`: it can go on only after other jobs have run. */
export type Outcome = 'done' | 'more' | 'waiting'

/**
 * What an erasure has found.
 * - `visitor`: visitor_no that was asked for. `touched`: visitor_no that lost sessions or a waiting identity.
 * - `gone`: visitor_no without any session left. `linked`: visitor ids whose money loses its link.
 * - `session`: session_no of erased sessions. `customer`: key of a customer of the ledger.
 * - `identifier`: user of an erased session. `used`: one that other sessions have, too.
 * - `error`: id of an error that occurred in an erased session. `error_name`: JSON of its id, and time and name of another occurrence.
 * - `value`: digest of a value of erased hits, as in the value dictionary.
 */
type Kind =
  | 'visitor'
  | 'touched'
  | 'gone'
  | 'linked'
  | 'session'
  | 'customer'
  | 'identifier'
  | 'used'
  | 'error'
  | 'error_name'
  | 'value'

const insertItems = query<{ erasureId: string; siteNo: number; kind: string; values: string[] }>(
  'insert-erasure-items',
  `insert into erasure_items (erasure_id, site_no, kind, value)
  select distinct :erasureId::uuid, :siteNo::int, :kind::text, value
  from unnest(:values::text[]) as value
  on conflict do nothing`,
)

const selectItems = query<{ erasureId: string; kind: string }, { value: string }>(
  'select-erasure-items',
  'select value from erasure_items where erasure_id = :erasureId and kind = :kind order by value',
)

const deleteItemRows = query<{ erasureId: string; kind: string; values: string[] }>(
  'delete-erasure-items',
  'delete from erasure_items where erasure_id = :erasureId and kind = :kind and value = any(:values::text[])',
)

/** Adds items; those that exist stay. */
export async function addItems(
  db: Queryable,
  { id, siteNo }: Erasure,
  kind: Kind,
  values: readonly (string | number)[],
): Promise<void> {
  if (values.length === 0) return
  await insertItems(db, { erasureId: id, siteNo, kind, values: values.map(String) })
}

export async function itemsOf(db: Queryable, { id }: Erasure, kind: Kind): Promise<string[]> {
  return (await selectItems(db, { erasureId: id, kind })).map(({ value }) => value)
}

export async function numbersOf(db: Queryable, erasure: Erasure, kind: Kind): Promise<number[]> {
  return (await itemsOf(db, erasure, kind)).map(Number)
}

export async function removeItems(
  db: Queryable,
  { id }: Erasure,
  kind: Kind,
  values: string[],
): Promise<void> {
  if (values.length > 0) await deleteItemRows(db, { erasureId: id, kind, values })
}
