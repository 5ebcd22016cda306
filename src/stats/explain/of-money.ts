import { ratio, roundedQuotient } from '../../platform/lib/numbers.ts'
import type { MovementMetric } from '../money/movements.ts'
import { customerValue, type MoneyMetric } from '../money/summary.ts'
import { type Explanation, made, plain, type RowKind, type TermName } from './explanation.ts'
import { OVERVIEW } from './of-overview.ts'

const CHANGE = 'MRR change of a customer'
const REPORT = 'Money report'

const ofReport = (term: TermName, rows: RowKind, rule: string) => plain(term, rows, REPORT, rule)
const ofChange = (term: TermName, rule: string) => plain(term, 'change', CHANGE, rule)

/** Every metric of the money report. */
export const MONEY: Record<MoneyMetric, Explanation> = {
  mrr: ofReport(
    'mrr',
    'subscription',
    'The sum of all movements of recurring revenue before the end of the range.',
  ),
  arr: made({
    rule: 'Twelve times MRR at the end of the range.',
    heading: REPORT,
    terms: ['mrr'],
    formula: '12 × mrr',
    number: total => 12n * total('mrr'),
    rows: 'subscription',
  }),
  mrr_at_start: ofReport(
    'mrr_at_start',
    'subscription',
    'The sum of all movements of recurring revenue before the start of the range.',
  ),
  net_new_mrr: ofReport(
    'mrr_change',
    'movement',
    'The sum of all movements of recurring revenue in the range.',
  ),
  new_mrr: ofChange('new_mrr', 'MRR of customers who never had any before.'),
  expansion_mrr: ofChange('expansion_mrr', 'By how much the MRR of customers rose who had some.'),
  contraction_mrr: ofChange('contraction_mrr', 'By how much the MRR of customers fell, but not to 0.'),
  churned_mrr: ofChange('churned_mrr', 'MRR of customers who lost all of theirs.'),
  reactivation_mrr: ofChange(
    'reactivation_mrr',
    'MRR of customers who had some, then none, and have some again.',
  ),
  mrr_growth_rate: made({
    rule: 'Change of MRR in the range, in percent of MRR at its start.',
    heading: REPORT,
    terms: ['mrr_change', 'mrr_at_start'],
    formula: '100 × mrr_change ÷ mrr_at_start',
    number: total => ratio(100n * total('mrr_change'), total('mrr_at_start'), 2),
    rows: 'movement',
  }),
  mrr_churn_rate: made({
    rule: 'MRR lost by churn and contraction, in percent of MRR at the start of the range.',
    heading: REPORT,
    terms: ['churned_mrr', 'contraction_mrr', 'mrr_at_start'],
    formula: '100 × −(churned_mrr + contraction_mrr) ÷ mrr_at_start',
    number: total =>
      ratio(-100n * (total('churned_mrr') + total('contraction_mrr')), total('mrr_at_start'), 2),
    rows: 'change',
  }),
  net_mrr_churn_rate: made({
    rule: 'MRR lost by churn and contraction less what expansion and reactivation brought, in percent of MRR at the start.',
    heading: REPORT,
    terms: ['churned_mrr', 'contraction_mrr', 'expansion_mrr', 'reactivation_mrr', 'mrr_at_start'],
    formula: '100 × −(churned_mrr + contraction_mrr + expansion_mrr + reactivation_mrr) ÷ mrr_at_start',
    number: total => {
      const net =
        total('churned_mrr') + total('contraction_mrr') + total('expansion_mrr') + total('reactivation_mrr')
      return ratio(-100n * net, total('mrr_at_start'), 2)
    },
    rows: 'change',
  }),
  active_subscriptions: ofReport(
    'active_subscriptions',
    'subscription',
    'Subscriptions with MRR above 0 at the end of the range.',
  ),
  active_customers: ofReport(
    'active_customers',
    'customer',
    'Customers with MRR above 0 at the end of the range.',
  ),
  customers_at_start: ofReport(
    'customers_at_start',
    'customer',
    'Customers with MRR above 0 at the start of the range.',
  ),
  started_customers: ofChange('started_customers', 'Customers whose MRR rose above 0 for the first time.'),
  reactivated_customers: ofChange('reactivated_customers', 'Customers whose MRR rose above 0 again.'),
  churned_customers: ofChange('churned_customers', 'Customers whose MRR fell to 0.'),
  customer_churn_rate: made({
    rule: 'Customers who lost all of their MRR, in percent of those at the start of the range.',
    heading: REPORT,
    terms: ['churned_customers', 'customers_at_start'],
    formula: '100 × churned_customers ÷ customers_at_start',
    number: total => ratio(100n * total('churned_customers'), total('customers_at_start'), 2),
    rows: 'change',
  }),
  arpa: made({
    rule: 'MRR at the end of the range divided by the customers who have any.',
    heading: REPORT,
    terms: ['mrr', 'active_customers'],
    formula: 'mrr ÷ active_customers',
    number: total => roundedQuotient(total('mrr'), total('active_customers')),
    rows: 'customer',
  }),
  lifetime_value: made({
    rule: 'MRR by customer divided by the part of customers that churns in a month of 365 ÷ 12 days.',
    heading: REPORT,
    terms: ['mrr', 'active_customers', 'customers_at_start', 'churned_customers'],
    formula: 'mrr × customers_at_start × days × 12 ÷ (active_customers × churned_customers × 365)',
    number: (total, days) =>
      customerValue(
        total('mrr'),
        total('active_customers'),
        total('customers_at_start'),
        total('churned_customers'),
        days,
      ),
    rows: 'customer',
  }),
  revenue: OVERVIEW.revenue,
  payments: OVERVIEW.payments,
  paying_customers: ofReport(
    'paying_customers',
    'payment',
    'Distinct customers of payments in the range that are not wholly refunded.',
  ),
  new_customers: OVERVIEW.new_customers,
  revenue_per_paying_customer: made({
    rule: 'Payments less refunds divided by the customers who paid.',
    heading: REPORT,
    terms: ['revenue', 'paying_customers'],
    formula: 'revenue ÷ paying_customers',
    number: total => roundedQuotient(total('revenue'), total('paying_customers')),
    rows: 'payment',
  }),
}

/** Every series of MRR movements. */
export const MOVEMENTS: Record<MovementMetric, Explanation> = {
  new: MONEY.new_mrr,
  expansion: MONEY.expansion_mrr,
  contraction: MONEY.contraction_mrr,
  churn: MONEY.churned_mrr,
  reactivation: MONEY.reactivation_mrr,
  mrr: { ...MONEY.mrr, rule: 'The sum of all movements of recurring revenue before the end of the bucket.' },
}
