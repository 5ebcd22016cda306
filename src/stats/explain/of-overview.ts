import { ratio, roundedQuotient } from '../../platform/lib/numbers.ts'
import type { OverviewMetric } from '../reads/overview.ts'
import { type Explanation, made, plain } from './explanation.ts'

/** Traffic of the overview; rows of a breakdown have some of the same. */
export const TRAFFIC = {
  pageviews: plain(
    'pageviews',
    'session',
    'Pageviews',
    'Every pageview in the range counts once, at its own time.',
  ),
  visitors: plain(
    'visitors',
    'session',
    'Visitors',
    'Distinct visitors with a pageview or event in the range: one who came on three days is one visitor.',
  ),
  sessions: plain('sessions', 'session', 'Sessions', 'Sessions count once, when they start.'),
  views_per_visit: made({
    rule: 'Pageviews of the range divided by the sessions that started in it.',
    heading: 'Views per visit',
    terms: ['pageviews', 'sessions'],
    formula: 'pageviews ÷ sessions',
    number: total => ratio(total('pageviews'), total('sessions'), 2),
    rows: 'session',
  }),
  bounce_rate: made({
    rule: 'Sessions with exactly one pageview, in percent of all sessions that started in the range.',
    heading: 'Bounce rate',
    terms: ['bounces', 'sessions'],
    formula: '100 × bounces ÷ sessions',
    number: total => ratio(100n * total('bounces'), total('sessions'), 2),
    rows: 'session',
  }),
  avg_session_seconds: made({
    rule: 'Time from the first to the last hit of each session, as a mean of all sessions that started in the range.',
    heading: 'Session duration',
    terms: ['duration_ms', 'sessions'],
    formula: 'duration_ms ÷ 1000 ÷ sessions',
    number: total => ratio(total('duration_ms'), 1000n * total('sessions'), 2),
    rows: 'session',
  }),
} satisfies Partial<Record<OverviewMetric, Explanation>>

/** Every metric of the overview. */
export const OVERVIEW: Record<OverviewMetric, Explanation> = {
  ...TRAFFIC,
  custom_events: plain(
    'custom_events',
    'session',
    'Custom events',
    'Hits of the type `event` in the range, without those that the service writes.',
  ),
  revenue: plain(
    'revenue',
    'payment',
    'Revenue',
    'Payments of the range in the currency of the site, less what was refunded of them.',
  ),
  recurring_revenue: plain(
    'recurring_revenue',
    'payment',
    'Recurring revenue of payments',
    'The part of revenue that renewals and recurring payments bring.',
  ),
  payments: plain('payments', 'payment', 'Payments', 'Payments of the range that are not wholly refunded.'),
  mrr: plain(
    'mrr_change',
    'movement',
    'MRR of a range',
    'The sum of all movements of monthly recurring revenue in the range.',
  ),
  new_customers: plain(
    'new_customers',
    'payment',
    'New customers',
    'Customers whose first payment is in the range, refunded or not.',
  ),
  conversion_rate: made({
    rule: 'New customers in percent of the visitors of the range.',
    heading: 'Conversion rate',
    terms: ['new_customers', 'visitors'],
    formula: '100 × new_customers ÷ visitors',
    number: total => ratio(100n * total('new_customers'), total('visitors'), 1),
    rows: 'payment',
  }),
  mrr_per_visitor: made({
    rule: 'Monthly recurring revenue at the end of the range divided by the visitors of the range.',
    heading: 'MRR per visitor',
    terms: ['mrr', 'visitors'],
    formula: 'mrr ÷ visitors',
    number: total => roundedQuotient(total('mrr'), total('visitors')),
    rows: 'subscription',
  }),
}

/** `conversion_rate` of the overview under a goal filter. */
export const CONVERSION_OF_GOAL: Explanation = made({
  rule: 'Visitors who converted the goal, in percent of those whom the other filters select.',
  heading: 'Conversion rate',
  terms: ['converting_visitors', 'all_visitors'],
  formula: '100 × converting_visitors ÷ all_visitors',
  number: total => ratio(100n * total('converting_visitors'), total('all_visitors'), 1),
  rows: 'visitor',
})
