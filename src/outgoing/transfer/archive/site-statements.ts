import { query } from '../../../platform/db/query.ts'
import { archiveText } from './plain-rows.ts'
import type { After, KeyedLine } from './row-statements.ts'

/** Without what is not in the archive (webhooks), and without what happened. */
export const archiveAlerts = query<After, KeyedLine>(
  'archive-alerts',
  archiveText(
    'alert_rules',
    { id: 'uuid' },
    {
      without: [
        'endpoint_ids',
        'is_enabled',
        'active_since',
        'checked_at',
        'clear_since',
        'judged_at',
        'tested_at',
      ],
    },
  ),
)

// What hits bring along, as it is: hits of the archive do not tell it wholly.

/** In the order of their numbers, which new numbers keep. Kept numbers name visitors by them. */
export const archiveVisitors = query<After, KeyedLine>(
  'archive-visitors',
  archiveText('visitors', { visitor_no: 'int' }),
)

/** Errors of days without details have no other source of their message. */
export const archiveErrorGroups = query<After, KeyedLine>(
  'archive-error-groups',
  archiveText('error_groups', { error_id: 'uuid' }),
)

/** Those that have ended, or have stored something, without their files. What they brought can be removed again. */
export const archiveImports = query<After, KeyedLine>('archive-imports')
