import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import { isFinal, isNearlyOver } from '../daily/coverage.ts'
import { SILENCE_MS } from '../daily/row-slice.ts'
import { datesOf, type Window } from '../protocol.ts'
import { encodeParts, type Part, readRawParts } from './build-parts.ts'

/** What a rollup says of the columns of its day. */
export interface ColumnState {
  /** How many parts are stored; null for none. */
  sessionParts: number | null
  /** Changes with every write of the columns; null before the first one. */
  columnsVersion: string | null
  /** Sessions of the day that the columns leave out, since they may go on. */
  openSessionNos: readonly number[]
  /** No hit of these sessions is before; null without such sessions. */
  openSessionsFrom: Date | null
}

/** The columns that are to be stored with a rollup. */
export interface PreparedColumns {
  state: ColumnState
  /** To be written in place of those that are stored; undefined when these stay. */
  encode: (() => Part[]) | undefined
}

const NONE: ColumnState = {
  sessionParts: null,
  columnsVersion: null,
  openSessionNos: [],
  openSessionsFrom: null,
}

/** With more of them, columns wait: each read would count their rows. */
const MOST_OPEN = 200

const selectOpenSessions = query<
  { siteNo: number; start: Date; end: Date; since: Date; limit: number },
  { sessionNo: number; firstAt: Date }
>(
  'select-open-sessions',
  `
  select session_no as "sessionNo", first_at as "firstAt"
  from sessions
  where site_no = :siteNo::int and started_at >= :start::timestamptz and started_at < :end::timestamptz
    and last_at >= :since::timestamptz
  limit :limit::int`,
)

/**
 * Reads what the columns of a day are made of, when nearly all its sessions are over; and once more when all are. Call it in a snapshot.
 * @param day `rolledUpTo`: sessions with a hit in the last half hour before it may go on. Changes of the others leave marks
 * @param old what is stored; undefined when the rollup is built again
 * @param rows sessions and hits of a part, about
 */
export async function prepareColumns(
  tx: Queryable,
  { siteNo, ...day }: Window & { siteNo: number; rolledUpTo: number },
  old: ColumnState | undefined,
  rows: number,
): Promise<PreparedColumns> {
  if (old && old.columnsVersion !== null && (old.openSessionNos.length === 0 || !isFinal(day))) {
    // Not `old` itself, which may have more fields.
    const { sessionParts, columnsVersion, openSessionNos, openSessionsFrom } = old
    return { state: { sessionParts, columnsVersion, openSessionNos, openSessionsFrom }, encode: undefined }
  }
  if (!isNearlyOver(day)) return { state: NONE, encode: () => [] }
  const since = new Date(day.rolledUpTo - SILENCE_MS)
  const open = isFinal(day)
    ? []
    : await selectOpenSessions(tx, { siteNo, ...datesOf(day), since, limit: MOST_OPEN + 1 })
  if (open.length > MOST_OPEN) return { state: NONE, encode: () => [] }
  const openSessionNos = open.map(({ sessionNo }) => sessionNo)
  const raw = await readRawParts(tx, siteNo, day, rows)
  return {
    state: {
      sessionParts: raw?.length ?? null,
      columnsVersion: randomUUID(),
      openSessionNos,
      openSessionsFrom:
        open.length === 0 ? null : new Date(Math.min(...open.map(({ firstAt }) => firstAt.getTime()))),
    },
    encode: () => (raw ? encodeParts(raw, day, openSessionNos) : []),
  }
}
