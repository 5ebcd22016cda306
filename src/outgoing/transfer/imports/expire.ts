import { query } from '../../../platform/db/query.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/lib/time.ts'
import type { Job } from '../../../storage/rollups/scheduler.ts'

/** Uploads that are not imported within a day. */
const expireUploads = query<{ before: Date; now: Date }>(
  'expire-imports',
  `update imports
  set state = 'expired', finished_at = :now::timestamptz
  where coalesce(finished_at, created_at) < :before::timestamptz
    and (
      state = 'uploading'
      or state in ('checked', 'failed') and exists (select from import_parts where import_id = imports.id)
    )`,
)

/** Also files of imports that failed and were then undone. */
const deleteUnneeded = query<void>(
  'delete-unneeded-import-parts',
  `delete from import_parts
  using imports
  where imports.id = import_id and imports.state in ('done', 'canceled', 'expired', 'undone')`,
)

export const IMPORT_JOBS: readonly Job[] = [
  {
    name: 'expire imports',
    everyMs: HOUR_MS,
    async run({ db }, now) {
      await expireUploads(db, { before: new Date(now.getTime() - DAY_MS), now })
      await deleteUnneeded(db)
    },
  },
]
