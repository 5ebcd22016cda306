import { query } from '../../../platform/db/query.ts'
import { archiveText, BEFORE_DETAILS } from './plain-rows.ts'
import type { After, KeyedLine } from './row-statements.ts'

// Numbers of days before `details_from`, whose hits are gone. They name visitors and values by numbers, as `visitors` and `values` do.

export const archiveValues = query<After, KeyedLine>(
  'archive-values',
  archiveText('value_dictionary', { value_id: 'int' }, { without: ['sha256'] }),
)

export const archiveKeptDays = query<After, KeyedLine>(
  'archive-kept-days',
  archiveText(
    'daily_rollups',
    { starts_at: 'timestamptz', ends_at: 'timestamptz' },
    { without: ['version'], where: BEFORE_DETAILS },
  ),
)

export const archiveKeptValues = query<After, KeyedLine>(
  'archive-kept-values',
  archiveText(
    'daily_value_rollups',
    { dimension: 'text', starts_at: 'timestamptz', ends_at: 'timestamptz' },
    { where: BEFORE_DETAILS },
  ),
)

export const archiveKeptHitBuckets = query<After, KeyedLine>(
  'archive-kept-hit-buckets',
  archiveText('kept_hit_buckets', { bucket: 'timestamptz' }),
)

export const archiveKeptSessionBuckets = query<After, KeyedLine>(
  'archive-kept-session-buckets',
  archiveText('kept_session_buckets', { bucket: 'timestamptz' }),
)

export const archiveKeptSessions = query<After, KeyedLine>('archive-kept-sessions')

/** First visits of customers: that of the visitor with the money may be gone. */
export const archiveFirstVisits = query<After, KeyedLine>('archive-first-visits')
