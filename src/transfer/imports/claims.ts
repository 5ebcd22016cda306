import { ADVISORY_LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'
import type { TaskProgress } from './import-kind.ts'
import type { TASKS } from './states.ts'

/** Another process takes a task over when its claim was not prolonged for so long: its process was killed. */
const CLAIM_MS = 30_000

/** A task that this process works on. */
export interface ClaimedImport {
  id: string
  siteNo: number
  kind: string
  format: string
  website: string | null
  timezone: string
  fileName: string
  bytes: number
  state: (typeof TASKS)[number]
}

const lockClaims = query<{ lock: number }>('lock-import-claims', 'select pg_advisory_xact_lock(:lock::int)')

/** The task that was requested first, of a site that nothing is imported to: also what was canceled may write until its claim is over. */
const claimTask = query<{ process: string; now: Date; until: Date }, ClaimedImport>(
  'claim-import-task',
  `update imports
  set claimed_by = :process::uuid, claimed_until = :until::timestamptz
  where id = (
    select waiting.id
    from imports as waiting
    join sites using (site_no)
    where waiting.state in ('checking', 'importing', 'undoing')
      and (waiting.claimed_until is null or waiting.claimed_until < :now::timestamptz)
      and sites.deleted_at is null
      and not exists (
        select from imports as running
        where running.site_no = waiting.site_no and running.claimed_until >= :now::timestamptz
      )
    order by waiting.requested_at, waiting.id
    limit 1
  )
  returning
    id, site_no as "siteNo", kind, format, website, timezone, file_name as "fileName", bytes, state`,
)

const prolong = query<
  { id: string; process: string; state: string; until: Date; progress: string | null },
  { id: string }
>(
  'prolong-import-claim',
  `update imports
  set claimed_until = :until::timestamptz, progress = coalesce((:progress::text)::jsonb, progress)
  where id = :id::uuid and claimed_by = :process::uuid and state = :state::text
  returning id`,
)

const release = query<{ id: string; process: string }>(
  'release-import-claim',
  'update imports set claimed_by = null, claimed_until = null where id = :id::uuid and claimed_by = :process::uuid',
)

/** A task that fails so often is over: a person looks into the log, and may start it again. */
const MOST_FAILURES = 10

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
    failures = failures + 1,
    state = case when failures + 1 < :most::int then state else 'failed' end,
    error = case when failures + 1 < :most::int then error else :note::text end,
    finished_at = case when failures + 1 < :most::int then finished_at else :now::timestamptz end,
    progress = null,
    claimed_until = :until::timestamptz
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
    note: `The import failed ${MOST_FAILURES} times; the log of the service says why`,
    most: MOST_FAILURES,
    now,
    until: new Date(now.getTime() + pauseMs),
  })

/** @param process id of this process: no other has it */
export async function claimImport(db: Db, process: string, now: Date): Promise<ClaimedImport | undefined> {
  const [claimed] = await db.begin(async tx => {
    await lockClaims(tx, { lock: ADVISORY_LOCKS.imports })
    return claimTask(tx, { process, now, until: new Date(now.getTime() + CLAIM_MS) })
  })
  return claimed
}

/** @returns false when the task was canceled, or another process has taken it over */
export async function prolongClaim(
  db: Db,
  process: string,
  { id, state }: ClaimedImport,
  { now, progress }: { now: Date; progress: TaskProgress | undefined },
): Promise<boolean> {
  const until = new Date(now.getTime() + CLAIM_MS)
  const rows = await prolong(db, {
    id,
    process,
    state,
    until,
    progress: progress ? JSON.stringify(progress) : null,
  })
  return rows.length > 0
}

/** Lets another process go on with a task at once. */
export const releaseClaim = (db: Db, process: string, { id }: ClaimedImport) => release(db, { id, process })
