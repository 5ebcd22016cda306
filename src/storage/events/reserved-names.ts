/** Event names of payments and of lifecycle events of subscriptions. */
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

export type LifecycleName = (typeof LIFECYCLE_NAMES)[number]

export const isLifecycleName = (name: string): boolean =>
  LIFECYCLE_NAMES.some(lifecycleName => lifecycleName === name)

/** Names that only the service writes: refused as goals, not recorded when sent to `/api/event`. */
const RESERVED_NAMES = ['pageview', 'engagement', 'performance', 'web-vitals', ...LIFECYCLE_NAMES]

const names: ReadonlySet<string> = new Set(RESERVED_NAMES)

export const isReservedName = (name: string): boolean => names.has(name)
