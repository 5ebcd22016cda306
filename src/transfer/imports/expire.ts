import { query } from '../../db/query.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { Job } from '../../rollups/scheduler.ts'

/** Ends imports whose files wait for a day. */
const expireImports = query<{ before: Date; now: Date }>(
  'expire-imports',
  `update imports
  set state = 'expired', finished_at = :now
  where
    coalesce(finished_at, created_at) < :before
    and (
      state = 'uploading'
      or state in ('checked', 'failed') and exists (select from import_parts where import_id = imports.id)
    )`,
)

/** A part whose upload was being stored when its import ended is found by the next run. */
const deleteExpiredParts = query(
  'delete-expired-import-parts',
  `delete from import_parts where import_id in (select id from imports where state = 'expired')`,
)

export const IMPORT_JOBS: readonly Job[] = [
  {
    name: 'expire imports',
    everyMs: HOUR_MS,
    async run({ db }, now) {
      await expireImports(db, { before: new Date(now.getTime() - DAY_MS), now })
      await deleteExpiredParts(db)
    },
  },
]
