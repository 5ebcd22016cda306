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

/** `canceled` until the command ends: it may be killed. */
const insertCommand = query<CommandImport & { id: string; now: Date }>(
  'insert-import-of-command',
  `insert into imports (
    id, site_no, kind, format, website, timezone, file_name, bytes, state, has_written, error, created_at
  )
  values (
    :id, :siteNo, :kind, :format, :website, :timezone, :fileName, :bytes, 'canceled', true,
    'the command was stopped; run it again', :now
  )`,
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
  await insertCommand(db, { ...given, id, now: now() })
  const result = await run()
  await finishCommand(db, { id, result: JSON.stringify(result), now: now() })
  return result
}
