import type { View } from '../../storage/columns/block.ts'
import type { ChangeKind } from '../money/mrr-changes.ts'
import { changesOf, type MrrChange, movementsOf } from './mrr.ts'
import type { Question } from './question.ts'
import { type ListKey, pageByKey } from './shared/key-page.ts'

interface PageAsked {
  currency: string
  after?: ListKey | undefined
  limit: number
}

/** A subscription or a customer with MRR at a time; `at`: when it changed last. */
export interface SubscribedRow extends ListKey {
  /** Key of the customer. */
  customer: string
  /** Minor units, not 0. */
  amount: bigint
}

/** Lists the subscriptions or customers whose MRR before a time is not 0, those first whose MRR changed last. */
export function listSubscribed(
  view: View,
  question: Question,
  { currency, unit, until, ...page }: PageAsked & { unit: 'subscription' | 'customer'; until: number },
): SubscribedRow[] {
  const { money, texts } = view
  const rows = new Map<number, SubscribedRow>()
  for (const row of movementsOf(view, question, currency)) {
    const at = money.at[row]!
    if (at >= until) continue
    const number = money[unit][row]!
    const known = rows.get(number)
    if (known) {
      known.amount += money.amount[row]!
      known.at = Math.max(known.at, at)
    } else {
      const id = texts.of(unit).text(number)
      rows.set(number, {
        ...{ at, id, customer: texts.of('customer').text(money.customer[row]!) },
        amount: money.amount[row]!,
      })
    }
  }
  return pageByKey(
    [...rows.values()].filter(({ amount }) => amount !== 0n),
    page,
  )
}

/** Lists MRR changes of some kinds in a span, the newest first. */
export function listChangesOfKinds(
  view: View,
  question: Question,
  {
    currency,
    kinds,
    start,
    end,
    ...page
  }: PageAsked & { kinds: readonly ChangeKind[]; start: number; end: number },
): (MrrChange & ListKey)[] {
  const changes = changesOf(view, movementsOf(view, question, currency))
    .filter(({ at, kind }) => at >= start && at < end && kinds.includes(kind))
    .map(change => ({ ...change, id: change.customer }))
  return pageByKey(changes, page)
}
