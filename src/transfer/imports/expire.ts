import { query } from '../../db/query.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { Job } from '../../rollups/scheduler.ts'

/** Files that are not imported within a day are deleted. */
const expireUploads = query<{ before: Date; now: Date }>(
  'expire-imports',
  `with expired as (
    update imports
    set state = 'expired', finished_at = :now
    where state in ('uploading', 'checked', 'failed') and coalesce(finished_at, created_at) < :before
      and exists (select from import_parts where import_id = imports.id)
    returning id
  ), unused as (
    update imports
    set state = 'expired', finished_at = :now
    where state = 'uploading' and created_at < :before
      and not exists (select from import_parts where import_id = imports.id)
  )
  delete from import_parts where import_id in (select id from expired)`,
)

export const IMPORT_JOBS: readonly Job[] = [
  {
    name: 'expire imports',
    everyMs: HOUR_MS,
    run: ({ db }, now) => expireUploads(db, { before: new Date(now.getTime() - DAY_MS), now }),
  },
]
