/** What payments and a payment processor's subscriptions are recorded as. */
export const LIFECYCLE_NAMES = [
  'payment',
  'free_trial',
  'trial_started',
  'trial_converted',
  'subscription_started',
  'subscription_renewed',
  'subscription_upgraded',
  'subscription_downgraded',
  'subscription_cancel_scheduled',
  'subscription_reactivated',
  'subscription_ended',
] as const

/** A name of what the service writes into the event log. */
export type LifecycleName = (typeof LIFECYCLE_NAMES)[number]

/** Names written only by the service: refused as goals, not recorded when sent to `/api/event` (spec "Goals"). */
const RESERVED_NAMES = ['pageview', 'engagement', 'performance', 'web-vitals', ...LIFECYCLE_NAMES]

const names: ReadonlySet<string> = new Set(RESERVED_NAMES)

export const isReservedName = (name: string): boolean => names.has(name)
