import type { SubscriptionHistory } from './history.ts'
import type { SubscriptionKey } from './lifecycle-events.ts'
import {
  deriveMovements,
  isCounting,
  type LifecycleEvent,
  type Movement,
  renewalsOf,
  type State,
  trialOf,
} from './movements.ts'

/** Name of the lifecycle event of an invoice that paid for a later cycle; its key is the id of the invoice. */
export const RENEWED = 'subscription_renewed' as const

/** The row of a subscription. */
export interface SubscriptionRow {
  customerId: string | null
  currency: string
  status: string
  mrr: number
  state: { visitorId: string | null; isEnding: boolean; includesTax?: true }
  startedAt: Date | null
  endedAt: Date | null
}

/** What is recorded of a subscription. */
export interface SubscriptionPlan {
  movements: Movement[]
  lifecycleEvents: LifecycleEvent[]
  /** Undefined while no state is known. */
  row: SubscriptionRow | undefined
}

/** Derives what is recorded of a subscription from its history. */
export function planSubscription(
  { states, invoices, customerId, includesTax }: SubscriptionHistory,
  visitorId: string | null,
): SubscriptionPlan {
  const { movements, lifecycleEvents } = deriveMovements(states)
  const renewals = renewalsOf(invoices, trialOf(states)).map(({ id, paidAt }) => ({
    at: paidAt,
    name: RENEWED,
    key: id,
  }))
  const latest = states.at(-1)
  return {
    movements,
    lifecycleEvents: [...lifecycleEvents, ...renewals],
    row: latest && {
      customerId,
      currency: latest.currency,
      status: latest.status,
      mrr: latest.mrr,
      state: { visitorId, isEnding: latest.isEnding, ...(includesTax && { includesTax }) },
      ...countingSpan(states),
    },
  }
}

/** Returns the key of a subscription's customer (docs/metrics.md "Customer of a subscription"). */
export const customerKey = (
  { subscriptionId }: Pick<SubscriptionKey, 'subscriptionId'>,
  customerId: string | null | undefined,
) => (customerId ? `c:${customerId}` : `s:${subscriptionId}`)

/** Returns when a subscription counted for the first time, and when it ended; null while it counts. */
function countingSpan(states: readonly State[]): { startedAt: Date | null; endedAt: Date | null } {
  const first = states.findIndex(({ status }) => isCounting(status))
  const last = states.findLastIndex(({ status }) => isCounting(status))
  const end = first < 0 ? undefined : states[last + 1]
  return {
    startedAt: first < 0 ? null : new Date(states[first]!.at),
    endedAt: end ? new Date(end.at) : null,
  }
}
