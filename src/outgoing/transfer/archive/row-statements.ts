import type { Queryable } from '../../../platform/db/connect.ts'
import {
  archiveFirstVisits,
  archiveKeptDays,
  archiveKeptHitBuckets,
  archiveKeptSessionBuckets,
  archiveKeptSessions,
  archiveKeptValues,
  archiveValues,
} from './kept-statements.ts'
import {
  archiveAwaitingVisitors,
  archiveErasedPayers,
  archiveFacts,
  archiveLifecycleEvents,
  archivePriceDependents,
  archiveRecomputeQueue,
} from './money-statements.ts'
import { archiveAlerts, archiveErrorGroups, archiveImports, archiveVisitors } from './site-statements.ts'
import { archiveTotalsDays, archiveTotalsFamilies, archiveTotalsImports } from './totals-statements.ts'

/** A row as its line, with its place in the order of its kind. */
export interface KeyedLine {
  key: string[]
  line: string
}

export interface After {
  siteNo: number
  /** Key of the row before; empty texts before the first. */
  key: string[]
  limit: number
}

const STATEMENTS = {
  alerts: archiveAlerts,
  'totals-imports': archiveTotalsImports,
  'totals-families': archiveTotalsFamilies,
  'totals-days': archiveTotalsDays,
  visitors: archiveVisitors,
  'error-groups': archiveErrorGroups,
  imports: archiveImports,
  values: archiveValues,
  'kept-days': archiveKeptDays,
  'kept-values': archiveKeptValues,
  'kept-hit-buckets': archiveKeptHitBuckets,
  'kept-session-buckets': archiveKeptSessionBuckets,
  'kept-sessions': archiveKeptSessions,
  'first-visits': archiveFirstVisits,
  'erased-payers': archiveErasedPayers,
  facts: archiveFacts,
  'lifecycle-events': archiveLifecycleEvents,
  'awaiting-visitors': archiveAwaitingVisitors,
  'price-dependents': archivePriceDependents,
  'recompute-queue': archiveRecomputeQueue,
}
export type ArchivedRowKind = keyof typeof STATEMENTS

export const isArchivedRowKind = (kind: string): kind is ArchivedRowKind => kind in STATEMENTS

const BLOCK_ROWS = 1_000
/** Rows with sets of visitors are large. Rows that no index gives in their order are sorted again for each block. */
const BLOCKS: Partial<Record<ArchivedRowKind, number>> = {
  'kept-days': 20,
  'kept-values': 4,
  visitors: 10_000,
  values: 10_000,
  'kept-sessions': 10_000,
}
const KEY_PARTS = 4

/** Yields the lines of a kind of a site, without line breaks, in blocks. Between blocks nothing is held in the database. */
export async function* archivedRows(
  db: Queryable,
  siteNo: number,
  kind: ArchivedRowKind,
): AsyncGenerator<string[]> {
  const limit = BLOCKS[kind] ?? BLOCK_ROWS
  let key = Array.from({ length: KEY_PARTS }, () => '')
  for (;;) {
    const rows = await STATEMENTS[kind](db, { siteNo, key, limit })
    const last = rows.at(-1)
    if (last) yield rows.map(({ line }) => line)
    if (!last || rows.length < limit) return
    key = last.key
  }
}
