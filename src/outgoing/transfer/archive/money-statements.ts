import { query } from '../../../platform/db/query.ts'
import { archiveText } from './plain-rows.ts'
import type { After, KeyedLine } from './row-statements.ts'

// What exports of a site leave out, since it says nothing to a reader, but what the numbers of money are derived from again. Their visitors
// have their ids.

export const archiveFacts = query<After, KeyedLine>(
  'archive-facts',
  archiveText('processor_facts', { event_id: 'text', kind: 'text', object_id: 'text' }),
)

export const archiveErasedPayers = query<After, KeyedLine>(
  'archive-erased-payers',
  archiveText('erased_payers', { digest: 'uuid' }),
)

export const archiveLifecycleEvents = query<After, KeyedLine>(
  'archive-lifecycle-events',
  archiveText('lifecycle_events', { subscription_id: 'text', name: 'text', key: 'text' }),
)

export const archiveAwaitingVisitors = query<After, KeyedLine>(
  'archive-awaiting-visitors',
  archiveText('awaiting_visitors', { visitor_id: 'uuid', target: 'text', at: 'timestamptz', id: 'uuid' }),
)

export const archivePriceDependents = query<After, KeyedLine>(
  'archive-price-dependents',
  archiveText('price_dependents', { object_id: 'text', holder_id: 'text', is_customer: 'boolean' }),
)

export const archiveRecomputeQueue = query<After, KeyedLine>(
  'archive-recompute-queue',
  archiveText(
    'recompute_queue',
    { subscription_id: 'text' },
    { without: ['announced_at', 'announced_since'] },
  ),
)
