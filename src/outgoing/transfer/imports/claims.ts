import { ADVISORY_LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db, Transaction } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import type { TaskProgress } from './import-kind.ts'
import type { TASKS } from './states.ts'

/** Another process takes a task over when its claim was not prolonged for so long: its process was killed. */
const CLAIM_MS = 30_000

/** A task that this process works on. */
export interface ClaimedImport {
  id: string
  teamId: string
  siteNo: number
  kind: string
  format: string
  website: string | null
  timezone: string
  fileName: string
  bytes: number
  state: (typeof TASKS)[number]
}

/** When a claim that is made or prolonged now runs out. */
export const claimEnd = (now: Date) => new Date(now.getTime() + CLAIM_MS)

const lockClaims = query<{ lock: number }>('lock-import-claims', 'select pg_advisory_xact_lock(:lock::int)')

/** Runs a transaction that looks at claims and then makes one: no other process does so meanwhile. */
export const claiming = <Result>(db: Db, run: (tx: Transaction) => Promise<Result>): Promise<Result> =>
  db.begin(async tx => {
    await lockClaims(tx, { lock: ADVISORY_LOCKS.imports })
    return run(tx)
  }) as Promise<Result>

/** Attempts of a task that fails for a reason that may pass, such as a full disk. */
const MOST_ATTEMPTS = 10
/** After so many attempts, a task whose process was killed is over: it may be the file that kills it, and hits wait meanwhile. */
const MOST_ATTEMPTS_KILLED = 3
const KILLED =
  'The service was killed while it worked on the import, after several attempts; its log says why. It can be started again; a file may be split, or imported on the command line'

/**
 * Ends tasks whose process was killed while it held their claim, once they were attempted often enough; never those of this process. What failed in another way has no
 * process in its claim: see `putOff`.
 */
const giveUp = query<{ process: string; most: number; note: string; now: Date }>(
  'give-up-import-tasks',
  `update imports
  set
    state = 'failed', error = :note::text, finished_at = :now::timestamptz, progress = null, claimed_by = null,
    claimed_until = null
  where state in ('checking', 'importing', 'undoing') and claimed_by <> :process::uuid and claimed_until < :now::timestamptz
    and failures >= :most::int`,
)

/** Whether there are tasks, claimed or not. */
const hasTasks = query<void, { hasTasks: boolean }>(
  'has-import-tasks',
  `select exists (select from imports where state in ('checking', 'importing', 'undoing')) as "hasTasks"`,
)

/** A task that waits to be claimed. */
export interface WaitingImport {
  id: string
  teamId: string
}

/**
 * Of each team, the task that was requested first, of a site that nothing is imported to: also what was canceled may write until its claim is
 * over.
 */
const selectWaiting = query<{ now: Date; exceptTeams: string[]; exceptIds: string[] }, WaitingImport>(
  'select-waiting-import-tasks',
  `select id, team_id as "teamId"
  from (
    select distinct on (team_id) waiting.id, team_id, requested_at
    from imports as waiting
    join sites using (site_no)
    where waiting.state in ('checking', 'importing', 'undoing')
      and (waiting.claimed_until is null or waiting.claimed_until < :now::timestamptz)
      and sites.deleted_at is null
      and team_id <> all(:exceptTeams::uuid[])
      and waiting.id <> all(:exceptIds::uuid[])
      and not exists (
        select from imports as running
        where running.site_no = waiting.site_no and running.claimed_until >= :now::timestamptz
      )
    order by team_id, waiting.requested_at, waiting.id
  ) as first_of_team
  order by requested_at, id`,
)

/** The attempt counts as failed until it ends, so that it also counts when the process is killed. */
const claimTask = query<{ id: string; process: string; until: Date }, ClaimedImport>(
  'claim-import-task',
  `update imports
  set claimed_by = :process::uuid, claimed_until = :until::timestamptz, failures = failures + 1
  from sites
  where imports.id = :id::uuid and sites.site_no = imports.site_no
  returning
    imports.id, team_id as "teamId", imports.site_no as "siteNo", kind, format, website, imports.timezone,
    file_name as "fileName", bytes, state`,
)

/** Of the tasks that a process has begun, only the one whose turn it is counts an attempt. */
const passAttempt = query<{ process: string; from: string; to: string | null }>(
  'pass-import-attempt',
  `update imports
  set failures = greatest(failures + case when id = :from::uuid then -1 else 1 end, 0)
  where id in (:from::uuid, :to::uuid) and claimed_by = :process::uuid`,
)

/** A claim that has run out goes on only if no process works on something else of the site. */
const prolong = query<
  { id: string; process: string; state: string; now: Date; until: Date; progress: string | null },
  { id: string }
>(
  'prolong-import-claim',
  `update imports
  set claimed_until = :until::timestamptz, progress = coalesce((:progress::text)::jsonb, progress)
  where id = :id::uuid and claimed_by = :process::uuid and state = :state::text
    and (
      claimed_until >= :now::timestamptz
      or not exists (
        select from imports as other
        where other.site_no = imports.site_no and other.id <> imports.id and other.claimed_by is not null
          and other.claimed_until >= :now::timestamptz
      )
    )
  returning id`,
)

/** The attempt has not failed. */
const release = query<{ id: string; process: string; attempts: number }>(
  'release-import-claim',
  `update imports
  set claimed_by = null, claimed_until = null, failures = greatest(failures - :attempts::int, 0)
  where id = :id::uuid and claimed_by = :process::uuid`,
)

const recordFailure = query<{
  id: string
  process: string
  state: string
  note: string
  most: number
  now: Date
  until: Date
}>(
  'record-import-failure',
  `update imports
  set
    state = case when failures < :most::int then state else 'failed' end,
    error = case when failures < :most::int then error else :note::text end,
    finished_at = case when failures < :most::int then finished_at else :now::timestamptz end,
    progress = null,
    claimed_by = null,
    claimed_until = case when failures < :most::int then :until::timestamptz end
  where id = :id::uuid and claimed_by = :process::uuid and state = :state::text`,
)

/**
 * Puts a task off after a failure that another try may mend, such as a full disk. Its claim stays until then, so that tasks of other
 * sites come first.
 */
export const putOff = (
  db: Db,
  process: string,
  { id, state }: ClaimedImport,
  { now, pauseMs }: { now: Date; pauseMs: number },
) =>
  recordFailure(db, {
    id,
    process,
    state,
    note: `The import failed ${MOST_ATTEMPTS} times; the log of the service says why`,
    most: MOST_ATTEMPTS,
    now,
    until: new Date(now.getTime() + pauseMs),
  })

interface ClaimOptions {
  /** Chooses among the first tasks of all teams, the one that was requested first by default. */
  choose?: (waiting: WaitingImport[]) => WaitingImport | undefined
  /** Teams whose tasks are left alone. */
  exceptTeams?: string[]
  /** Tasks that are left alone. */
  exceptIds?: string[]
}

/** @param process id of this process: no other has it */
export async function claimImport(
  db: Db,
  process: string,
  now: Date,
  { choose = ([first]) => first, exceptTeams = [], exceptIds = [] }: ClaimOptions = {},
): Promise<ClaimedImport | undefined> {
  // A process asks every two seconds, and mostly there is none.
  const [tasks] = await hasTasks(db)
  if (!tasks!.hasTasks) return undefined
  const [claimed] = await claiming(db, async tx => {
    await giveUp(tx, { process, most: MOST_ATTEMPTS_KILLED, note: KILLED, now })
    const chosen = choose(await selectWaiting(tx, { now, exceptTeams, exceptIds }))
    return chosen ? claimTask(tx, { id: chosen.id, process, until: claimEnd(now) }) : []
  })
  return claimed
}

/**
 * Notes that a task of a process pauses: it has not failed when the process is killed meanwhile. A task that does not belong to the process
 * stays as it is.
 * @param turn.to the task that goes on; null for one that was just claimed, whose attempt counts already
 */
export const passTurn = (db: Db, process: string, turn: { from: string; to: string | null }) =>
  passAttempt(db, { process, ...turn })

/**
 * @param state of the import while it is worked on
 * @returns false when the import was canceled or is to be undone, and when the claim was lost to another process
 */
export async function prolongClaim(
  db: Db,
  process: string,
  { id, state }: { id: string; state: string },
  { now, progress }: { now: Date; progress?: TaskProgress | undefined },
): Promise<boolean> {
  const rows = await claiming(db, tx =>
    prolong(tx, {
      id,
      process,
      state,
      now,
      until: claimEnd(now),
      progress: progress ? JSON.stringify(progress) : null,
    }),
  )
  return rows.length > 0
}

/**
 * Lets another process go on with a task at once.
 * @param task.isPaused its attempt does not count already: see `passTurn`
 */
export const releaseClaim = (
  db: Db,
  process: string,
  { id, isPaused = false }: { id: string; isPaused?: boolean },
) => release(db, { id, process, attempts: isPaused ? 0 : 1 })
