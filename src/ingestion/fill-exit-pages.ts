import type { Db, Transaction } from '../platform/db/connect.ts'
import { query } from '../platform/db/query.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/lib/time.ts'
import { limitTime } from '../platform/lib/time-budget.ts'
import { stampChanges } from '../storage/columns/stamps.ts'
import { allowColumnstoreWrites } from '../storage/rollups/columnstore.ts'
import { markBuckets } from '../storage/rollups/dirty.ts'
import type { Job } from '../storage/rollups/scheduler.ts'

/** Time limit of one run: other jobs wait this long, and so does a process that must stop. */
const BUDGET_MS = 2_000
/** Target time of one transaction: the embedded database can do nothing else during a statement. */
const TARGET_MS = 200
const SHORTEST_MS = HOUR_MS / 4
const LONGEST_MS = 16 * DAY_MS

/** Length of the next window; adapts to the measured times. */
let windowMs = 6 * HOUR_MS

type Span = { start: Date; end: Date }

const findState = query<void, { filledFrom: Date; earliest: Date | null }>(
  'find-exit-page-fill',
  `select
    filled_from as "filledFrom",
    (select min(first_event_at) - interval '2 days' from sites where purged_at is null) as earliest
  from exit_page_fill`,
)

const noteFilled = query<{ filledFrom: Date }>(
  'note-exit-page-fill',
  'update exit_page_fill set filled_from = :filledFrom::timestamptz',
)

const finish = query('finish-exit-page-fill', 'delete from exit_page_fill')

/** Chunks of sessions that overlap a time span and are compressed, fully or in part. */
const selectCompressed = query<Span, { chunk: string }>(
  'select-compressed-session-chunks',
  `select format('%I.%I', chunk_schema, chunk_name) as chunk
  from timescaledb_information.chunks
  where hypertable_schema = 'public' and hypertable_name = 'sessions' and is_compressed
    and range_end > :start::timestamptz and range_start < :end::timestamptz
  order by range_start desc`,
)

const decompressChunk = query<{ chunk: string }>(
  'decompress-session-chunk',
  'select decompress_chunk(:chunk::regclass, true)',
)

/** With a nested loop, rows without statistics would be compared each with each. */
const withoutNestedLoops = query('without-nested-loops', "select set_config('enable_nestloop', 'off', true)")

const fillSpan = query<Span, { siteNo: number; startedAt: Date; lastAt: Date }>('fill-exit-pages')

/**
 * Fills in the exit pages of sessions that the version before has stored, newest first, and marks their days. A session that got
 * a later pageview meanwhile has its exit page already. Safe to stop at any point.
 * @returns true when more remains
 */
export async function fillExitPages(db: Db, hasTime = limitTime(BUDGET_MS)): Promise<boolean> {
  for (;;) {
    const [state] = await findState(db)
    if (!state) return false
    const { filledFrom: end, earliest } = state
    if (!earliest || end <= earliest) {
      await finish(db)
      return false
    }
    const span = { start: new Date(end.getTime() - windowMs), end }
    // Many rows of a chunk change: writes would unpack it piece by piece. The hourly job compresses it again.
    for (const { chunk } of await selectCompressed(db, span)) await decompressChunk(db, { chunk })
    const startedAt = performance.now()
    await db.begin(tx => fill(tx, span))
    const tookMs = performance.now() - startedAt
    if (tookMs > 2 * TARGET_MS) windowMs = Math.max(SHORTEST_MS, windowMs / 2)
    else if (tookMs < TARGET_MS / 2) windowMs = Math.min(LONGEST_MS, windowMs * 2)
    if (!hasTime()) return true
  }
}

async function fill(tx: Transaction, span: Span): Promise<void> {
  await withoutNestedLoops(tx)
  await allowColumnstoreWrites(tx)
  const filled = await fillSpan(tx, span)
  await noteFilled(tx, { filledFrom: span.start })
  await stampChanges(
    tx,
    'sessions',
    filled.map(({ siteNo, startedAt }) => ({ siteNo, at: startedAt.getTime() })),
  )
  await markBuckets(
    tx,
    'daily_rollups',
    filled.map(({ siteNo, startedAt }) => ({ siteNo, at: startedAt.getTime() })),
  )
}

export const EXIT_PAGE_JOBS: readonly Job[] = [
  { name: 'fill exit pages', everyMs: 5 * MINUTE_MS, run: ({ db }) => fillExitPages(db) },
]
