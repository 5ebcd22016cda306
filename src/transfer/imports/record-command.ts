import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/connect.ts'
import { query } from '../../db/query.ts'

interface CommandImport {
  siteNo: number
  kind: string
  format: string
  website: string | null
  timezone: string
  fileName: string
  bytes: number
}

/** While a command holds its claim, nothing else is imported to the site or removed from it. */
const CLAIM_MS = 30_000
const PROLONG_MS = 10_000

/** `canceled` until the command ends: it may be killed. */
const insertCommand = query<CommandImport & { id: string; now: Date; until: Date }>(
  'insert-import-of-command',
  `insert into imports (
    id, site_no, kind, format, website, timezone, file_name, bytes, state, has_written, error, created_at,
    claimed_by, claimed_until
  )
  values (
    :id, :siteNo, :kind, :format, :website, :timezone, :fileName, :bytes, 'canceled', true,
    'the command was stopped; run it again', :now,
    :id, :until
  )`,
)

const prolongCommand = query<{ id: string; until: Date }>(
  'prolong-import-of-command',
  'update imports set claimed_until = :until where id = :id and claimed_by = :id',
)

const releaseCommand = query<{ id: string }>(
  'release-import-of-command',
  'update imports set claimed_by = null, claimed_until = null where id = :id and claimed_by = :id',
)

const finishCommand = query<{ id: string; result: string; now: Date }>(
  'finish-import-of-command',
  `update imports
  set state = 'done', result = (:result::text)::jsonb, error = null, finished_at = :now
  where id = :id and state = 'canceled'`,
)

/** Lists an import of the command line among those of the site, so that it can be undone there. */
export async function recordCommand<Result extends object>(
  db: Db,
  given: CommandImport,
  now: () => Date,
  run: () => Promise<Result>,
): Promise<Result> {
  const id = randomUUID()
  const until = () => new Date(now().getTime() + CLAIM_MS)
  await insertCommand(db, { ...given, id, now: now(), until: until() })
  const prolonging = setInterval(
    () => void prolongCommand(db, { id, until: until() }).catch(() => {}),
    PROLONG_MS,
  )
  try {
    const result = await run()
    await finishCommand(db, { id, result: JSON.stringify(result), now: now() })
    return result
  } finally {
    clearInterval(prolonging)
    await releaseCommand(db, { id }).catch(() => {})
  }
}
