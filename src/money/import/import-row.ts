import type { Queryable, Transaction } from '../../platform/db/connect.ts'
import { query } from '../../platform/db/query.ts'
import type { ImportCounts } from './counts.ts'
import type { PhaseName } from './phases.ts'

/** After reading comes deriving; then nothing is left. */
export type Step = PhaseName | 'deriving' | 'done'

/** The import of a site, as it stands in the database. */
export interface ImportRow {
  siteNo: number
  state: 'running' | 'finished' | 'failed'
  fromAt: Date | null
  phase: Step
  reached: string | null
  counts: ImportCounts
  failure: string | null
  failures: number
  retryAt: Date | null
  startedAt: Date
  finishedAt: Date | null
}

const COLUMNS = `
  site_no as "siteNo", state, from_at as "fromAt", phase, reached, counts, failure, failures, retry_at as "retryAt",
  started_at as "startedAt", finished_at as "finishedAt"`

const selectImport = query<{ siteNo: number }, ImportRow>(
  'find-revenue-import',
  `select ${COLUMNS} from revenue_imports where site_no = :siteNo`,
)

/** A running import stays as it is: no second one begins. */
const insertImport = query<
  { siteNo: number; fromAt: Date | null; phase: string; counts: string; now: Date },
  ImportRow
>(
  'start-revenue-import',
  `insert into revenue_imports as known (site_no, state, from_at, phase, counts, started_at)
  values (:siteNo, 'running', :fromAt, :phase, :counts::text::jsonb, :now)
  on conflict (site_no) do update set
    state = 'running', from_at = excluded.from_at, phase = excluded.phase, reached = null, counts = excluded.counts,
    failure = null, failures = 0, retry_at = null, started_at = excluded.started_at, finished_at = null
  where known.state <> 'running'
  returning ${COLUMNS}`,
)

/** Waits for nobody: returns no row while another process works on it. */
const takeImport = query<{ siteNo: number; holder: string; seconds: number }, ImportRow>(
  'take-revenue-import',
  `update revenue_imports
  set holder = :holder::uuid, held_until = now() + make_interval(secs => :seconds)
  where
    site_no = :siteNo
    and state = 'running'
    and (holder is null or holder = :holder::uuid or held_until < now())
  returning ${COLUMNS}`,
)

const releaseImport = query<{ siteNo: number; holder: string }>(
  'release-revenue-import',
  'update revenue_imports set holder = null where site_no = :siteNo and holder = :holder::uuid',
)

const advanceImport = query<
  { siteNo: number; holder: string; phase: string; reached: string | null; counts: string },
  { siteNo: number }
>(
  'advance-revenue-import',
  `update revenue_imports
  set
    phase = :phase, reached = :reached, counts = :counts::text::jsonb, failure = null, failures = 0, retry_at = null
  where site_no = :siteNo and holder = :holder::uuid
  returning site_no as "siteNo"`,
)

const endImport = query<{ siteNo: number; state: string; failure: string | null; now: Date }>(
  'end-revenue-import',
  `update revenue_imports
  set state = :state, failure = :failure, retry_at = null, finished_at = :now, holder = null
  where site_no = :siteNo and state = 'running'`,
)

const delayImport = query<{ siteNo: number; failure: string; retryAt: Date }>(
  'delay-revenue-import',
  `update revenue_imports
  set failure = :failure, failures = failures + 1, retry_at = :retryAt
  where site_no = :siteNo and state = 'running'`,
)

export interface DueImport {
  siteNo: number
  siteId: string
  teamId: string
}

/** Sites with an import whose next step is due, the oldest first. */
export const selectDueImports = query<{ now: Date }, DueImport>(
  'select-due-revenue-imports',
  `select site_no as "siteNo", sites.id as "siteId", team_id as "teamId"
  from revenue_imports
  join sites using (site_no)
  where revenue_imports.state = 'running' and sites.deleted_at is null and coalesce(retry_at <= :now, true)
  order by started_at, site_no`,
)

export const findImport = async (db: Queryable, siteNo: number): Promise<ImportRow | undefined> =>
  (await selectImport(db, { siteNo }))[0]

/** Starts an import, or returns the one that runs. */
export async function startImport(
  db: Queryable,
  given: { siteNo: number; fromAt: Date | null; phase: Step; counts: ImportCounts; now: Date },
): Promise<ImportRow> {
  const [started] = await insertImport(db, { ...given, counts: JSON.stringify(given.counts) })
  return started ?? (await findImport(db, given.siteNo))!
}

/** Seconds for which other processes leave an import alone; prolonged with each step. */
const HELD_S = 120

/** @returns undefined when another process works on it, or it does not run */
export const take = async (db: Queryable, siteNo: number, holder: string): Promise<ImportRow | undefined> =>
  (await takeImport(db, { siteNo, holder, seconds: HELD_S }))[0]

export const release = releaseImport

/** Notes how far an import has come, in the transaction that stored it. @throws Error when another process has taken it over */
export async function advance(
  tx: Transaction,
  given: { siteNo: number; holder: string; phase: Step; reached: string | null; counts: ImportCounts },
): Promise<void> {
  const rows = await advanceImport(tx, { ...given, counts: JSON.stringify(given.counts) })
  if (rows.length === 0) throw new Error('the import is continued by another process')
}

export const end = endImport
export const delay = delayImport
