import { CHANGE_KINDS, type ChangeKind } from '../../money/mrr-changes.ts'
import { filteredQuery } from '../../sql/filtered-query.ts'
import { movementsOf } from '../recurring.ts'
import type { Explained } from '../source.ts'
import { AFTER, type After, NEWEST_FIRST, type PageParams, pageParams } from './cursor.ts'

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

const listSubscribed = filteredQuery<
  PageParams & { currency: string; until: Date[]; unit: string },
  Subscribed
>('list-explained-subscribed', ['filtered_movements'])
const listChanges = filteredQuery<
  PageParams & { currency: string; span: Date[]; kinds: string[] },
  CountedChange
>(
  'list-explained-changes',
  ['filtered_movements'],
  `select at, id, kind, amount
  from (
    select
      moved.at,
      moved.customer as id,
      coalesce(changes.kind, case when moved.amount > 0 then 'expansion' else 'contraction' end) as kind,
      moved.amount::text as amount
    from (
      select
        filtered_movements.site_no, filtered_movements.currency, filtered_movements.at,
        coalesce('c:' || nullif(subscriptions.customer_id, ''), 's:' || filtered_movements.subscription_id) as customer,
        sum(filtered_movements.amount_minor) as amount
      from filtered_movements
      left join subscriptions
        on subscriptions.site_no = filtered_movements.site_no
        and subscriptions.subscription_id = filtered_movements.subscription_id
      where filtered_movements.currency = (select currency from params)
        and filtered_movements.at >= (select span[1] from params) and filtered_movements.at < (select span[2] from params)
      group by 1, 2, 3, 4
    ) as moved
    left join mrr_changes as changes
      on changes.site_no = moved.site_no
      and changes.currency = moved.currency
      and changes.customer = moved.customer
      and changes.at = moved.at
    where moved.amount <> 0
  ) as listed
  cross join params
  where kind = any(kinds) and ${AFTER}
  ${NEWEST_FIRST}`,
)

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
  listSubscribed(services.reads, movementsOf(resolved), {
    params: { ...pageParams(after, limit), currency: site.currency, until: [until], unit },
  })

/** Returns the changes of MRR of a time span, the newest first. */
export const listCountedChanges = (
  { services, site, resolved }: Explained,
  span: { start: Date; end: Date },
  kinds: readonly ChangeKind[] = CHANGE_KINDS,
  { after, limit }: Asked,
): Promise<CountedChange[]> =>
  listChanges(services.reads, movementsOf(resolved), {
    params: {
      ...pageParams(after, limit),
      currency: site.currency,
      span: [span.start, span.end],
      kinds: [...kinds],
    },
  })
