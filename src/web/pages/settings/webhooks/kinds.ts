import type { Outputs } from '../../../api/types.ts'

export type Webhook = Outputs['webhooks']['list'][number]
export type Kind = Webhook['kinds'][number]
export type Format = Webhook['format']

/** Types of events in the order of the form. */
export const KINDS = Object.keys({
  'goal.converted': true,
  'payment.paid': true,
  'payment.refunded': true,
  'trial.started': true,
  'trial.converted': true,
  'subscription.started': true,
  'subscription.renewed': true,
  'subscription.upgraded': true,
  'subscription.downgraded': true,
  'subscription.cancel_scheduled': true,
  'subscription.reactivated': true,
  'subscription.ended': true,
} satisfies Record<Kind, true>) as Kind[]

export const FORMATS = Object.keys({ signed: true, slack: true, discord: true } satisfies Record<
  Format,
  true
>) as Format[]

/** Keys of the reads of one site's webhooks. */
export const webhooksKey = (siteId: string) => ['webhooks', siteId]
