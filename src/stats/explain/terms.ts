import type { ConversionTargets } from '../filters/resolved-query.ts'
import { explainConverting } from './conversions.ts'
import type { TermName } from './explanation.ts'
import type { Term } from './parts.ts'
import { explainPaying, explainPayments } from './payments.ts'
import { explainRecurring } from './recurring.ts'
import type { Explained } from './source.ts'
import { explainTraffic } from './traffic.ts'
import { explainValueMoney } from './value-money.ts'
import { explainValueTraffic, type Subject } from './value-traffic.ts'

/** What terms are read of: a period, of a breakdown one of its rows. */
export interface Asked {
  explained: Explained
  /** Of a breakdown. */
  subject: Subject | undefined
  /** What converts the goal of the filter, or `conversion_goal`. */
  targets: ConversionTargets | undefined
}

type Group = 'traffic' | 'others' | 'converting' | 'payments' | 'paying' | 'recurring'

/** Terms that are read together. */
const GROUPS: Record<TermName, Group> = {
  pageviews: 'traffic',
  visitors: 'traffic',
  sessions: 'traffic',
  bounces: 'traffic',
  duration_ms: 'traffic',
  timed_sessions: 'traffic',
  custom_events: 'traffic',
  engaged_ms: 'traffic',
  engaged_sessions: 'traffic',
  scroll_percent: 'traffic',
  scrolled_sessions: 'traffic',
  all_visitors: 'others',
  converting_visitors: 'converting',
  revenue: 'payments',
  recurring_revenue: 'payments',
  payments: 'payments',
  new_customers: 'payments',
  paying_customers: 'paying',
  mrr: 'recurring',
  mrr_at_start: 'recurring',
  mrr_change: 'recurring',
  new_mrr: 'recurring',
  expansion_mrr: 'recurring',
  contraction_mrr: 'recurring',
  churned_mrr: 'recurring',
  reactivation_mrr: 'recurring',
  active_subscriptions: 'recurring',
  active_customers: 'recurring',
  customers_at_start: 'recurring',
  started_customers: 'recurring',
  reactivated_customers: 'recurring',
  churned_customers: 'recurring',
}

type Found = Partial<Record<TermName, Term>>

const READ: Record<Group, (asked: Asked) => Promise<Found>> = {
  traffic: ({ explained, subject }) =>
    subject ? explainValueTraffic(explained, subject) : explainTraffic(explained),
  others: async ({ explained }) => {
    // Under a goal filter: the visitors that the other filters select.
    const { visitors } = await explainTraffic({
      ...explained,
      resolved: { ...explained.resolved, goal: undefined },
    })
    return { all_visitors: visitors }
  },
  converting: async ({ explained, subject, targets }) => ({
    converting_visitors: await explainConverting(
      {
        ...explained,
        resolved: { ...explained.resolved, goal: subject ? explained.resolved.goal : undefined },
      },
      targets!,
      subject,
    ),
  }),
  payments: async ({ explained, subject }) =>
    subject
      ? { revenue: await explainValueMoney(explained, subject, 'revenue') }
      : explainPayments(explained),
  paying: async ({ explained }) => ({ paying_customers: await explainPaying(explained) }),
  recurring: async ({ explained, subject }) =>
    subject
      ? { mrr_change: await explainValueMoney(explained, subject, 'mrr') }
      : explainRecurring(explained),
}

/** Returns the terms of a metric, in their order. */
export async function readTerms(asked: Asked, names: readonly TermName[]): Promise<Map<TermName, Term>> {
  const groups = [...new Set(names.map(name => GROUPS[name]))]
  const found = await Promise.all(groups.map(group => READ[group](asked)))
  const all: Found = Object.assign({}, ...found)
  return new Map(names.map(name => [name, all[name]!]))
}
