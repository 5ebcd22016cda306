import type { Transaction } from '../../platform/db/connect.ts'
import { announce, eventOfLifecycle, PROCESSOR_GRACE_MS } from '../../storage/events/announcements.ts'
import { isCounting, type LifecycleEvent, type State } from './movements.ts'

/** A subscription as endpoints are told of it. */
interface Announced {
  siteNo: number
  subscriptionId: string
  customerId: string | null | undefined
  visitorId: string | null
  /** At the time of the event. */
  state: State | undefined
}

/** Tells the endpoints of the site of a lifecycle event. */
export async function announceLifecycle(
  tx: Transaction,
  { siteNo, subscriptionId, customerId, visitorId, state }: Announced,
  { name, key, at }: LifecycleEvent,
): Promise<void> {
  const type = eventOfLifecycle(name)
  if (!type) return
  await announce(tx, siteNo, {
    type,
    key: `${subscriptionId}/${key}`,
    at: new Date(at),
    graceMs: PROCESSOR_GRACE_MS,
    data: {
      subscription_id: subscriptionId,
      customer_id: customerId ?? null,
      visitor_id: visitorId,
      timestamp: new Date(at).toISOString(),
      status: state?.status ?? null,
      mrr: state && isCounting(state.status) ? state.mrr : 0,
      currency: state?.currency ?? null,
    },
    visitorId,
    customer: customerId ? `c:${customerId}` : null,
  })
}
