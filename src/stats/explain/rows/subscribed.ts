import { CHANGE_KINDS, type ChangeKind } from '../../money/mrr-changes.ts'
import { filteredQuery } from '../../sql/filtered-query.ts'
import { movementsOf } from '../recurring.ts'
import type { Explained } from '../source.ts'
import { type After, type PageParams, pageParams } from './cursor.ts'

/** A subscription or a customer with MRR at a time: when it changed last, and what it is. */
export interface Subscribed {
  at: Date
  id: string
  customer: string
  amount: string
}

/** A change of a customer's MRR; `id` is the key of the customer. */
export interface CountedChange {
  at: Date
  id: string
  kind: ChangeKind
  amount: string
}

const listExplainedSubscribed = filteredQuery<
  PageParams & { currency: string; until: Date[]; unit: string },
  Subscribed
>('list-explained-subscribed', ['filtered_movements'])
const listExplainedChanges = filteredQuery<
  PageParams & { currency: string; span: Date[]; kinds: string[] },
  CountedChange
>('list-explained-changes', ['filtered_movements'])

interface Asked {
  after: After | undefined
  limit: number
}

/** Returns subscriptions or customers with MRR before `until`, those first whose MRR changed last. */
export const listSubscribedBefore = (
  { services, site, resolved }: Explained,
  unit: 'subscription' | 'customer',
  until: Date,
  { after, limit }: Asked,
): Promise<Subscribed[]> =>
  listExplainedSubscribed(services.reads, movementsOf(resolved), {
    params: { ...pageParams(after, limit), currency: site.currency, until: [until], unit },
  })

/** Returns the changes of MRR of a time span, the newest first. */
export const listCountedChanges = (
  { services, site, resolved }: Explained,
  span: { start: Date; end: Date },
  kinds: readonly ChangeKind[] = CHANGE_KINDS,
  { after, limit }: Asked,
): Promise<CountedChange[]> =>
  listExplainedChanges(services.reads, movementsOf(resolved), {
    params: {
      ...pageParams(after, limit),
      currency: site.currency,
      span: [span.start, span.end],
      kinds: [...kinds],
    },
  })
