import type { Db } from './connect.ts'
import { query } from './query.ts'

/** A position in the write-ahead log (LSN): bytes since its beginning. It grows with every change of the database. */
export type Position = bigint

/** Positions that reads of a site have shown, or changes of it have written. */
export interface SeenPositions {
  /** Returns the highest one; 0 when none is known. @throws when it cannot be known now */
  of(siteNo: number): Promise<Position>
  raise(siteNo: number, position: Position): Promise<void>
}

const replayedPosition = query<void, { position: string }>(
  'replayed-position',
  "select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::text as position",
)

const writtenPosition = query<void, { position: string }>(
  'written-position',
  "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as position",
)

/**
 * Returns what a hot standby has replayed.
 * @throws Error when the server is no standby, and the errors of the database
 */
export async function askPosition(standby: Db): Promise<Position> {
  const [row] = await replayedPosition(standby)
  if (row!.position === null) throw new Error('the server is no hot standby')
  return BigInt(row!.position)
}

/** Returns what the primary has written. @throws the errors of the database */
export async function askPositionOfPrimary(primary: Db): Promise<Position> {
  const [row] = await writtenPosition(primary)
  return BigInt(row!.position)
}
