import { randomUUID } from 'node:crypto'
import type { Db } from '../../../platform/db/connect.ts'
import { query } from '../../../platform/db/query.ts'
import { AppError } from '../../../platform/errors.ts'
import { claimEnd, claiming, prolongClaim, releaseClaim } from './claims.ts'

interface CommandImport {
  siteNo: number
  kind: string
  format: string
  website: string | null
  timezone: string
  fileName: string
  bytes: number
}

/** `canceled` until the command ends: it may be killed. No row while something is removed from the site. */
const insertCommand = query<CommandImport & { id: string; now: Date; until: Date }, { id: string }>(
  'insert-import-of-command',
  `insert into imports (
    id, site_no, kind, format, website, timezone, file_name, bytes, state, has_written, error, created_at,
    claimed_by, claimed_until
  )
  select
    :id::uuid, :siteNo::int, :kind::text, :format::text, :website::text, :timezone::text, :fileName::text, :bytes::bigint,
    'canceled', true, 'the command was stopped; run it again', :now::timestamptz, :id::uuid, :until::timestamptz
  where not exists (select from imports where site_no = :siteNo::int and state = 'undoing')
  returning id`,
)

const finishCommand = query<{ id: string; result: string; now: Date }>(
  'finish-import-of-command',
  `update imports
  set state = 'done', result = (:result::text)::jsonb, error = null, finished_at = :now
  where id = :id and state = 'canceled'`,
)

/**
 * Lists an import of the command line among those of the site, so that it can be undone there. While the command runs it holds a claim:
 * nothing is removed from the site meanwhile.
 * @param run ends when its signal aborts: the import is to be undone, or the claim was lost while the process stood still
 * @throws AppError `unavailable` while something is removed from the site
 */
export async function recordCommand<Result extends object>(
  db: Db,
  given: CommandImport,
  { now, prolongMs = 10_000 }: { now: () => Date; prolongMs?: number },
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const id = randomUUID()
  const command = { id, state: 'canceled' }
  const [inserted] = await claiming(db, tx =>
    insertCommand(tx, { ...given, id, now: now(), until: claimEnd(now()) }),
  )
  if (!inserted) {
    throw new AppError(
      'unavailable',
      'An import of the site is being undone; run the command again after that',
    )
  }
  const lost = new AbortController()
  const prolonging = setInterval(() => {
    prolongClaim(db, id, command, { now: now() })
      .then(isOurs => {
        if (!isOurs) lost.abort(new Error('the import was undone, or the command stood still for too long'))
      })
      // The next try may work.
      .catch(() => {})
  }, prolongMs)
  try {
    const result = await run(lost.signal)
    await finishCommand(db, { id, result: JSON.stringify(result), now: now() })
    return result
  } finally {
    clearInterval(prolonging)
    await releaseClaim(db, id, command).catch(() => {})
  }
}
