import type { Outputs } from '../../api/client.ts'
import type { Format } from '../../format/format.ts'

export type Report = Outputs['stats']['money']

/** Figures whose course over time can be shown. */
export const COURSES = ['mrr', 'net_new_mrr', 'revenue', 'churned_mrr'] as const
export type Course = (typeof COURSES)[number]

const RECURRING = [
  'mrr',
  'net_new_mrr',
  'revenue',
  'active_customers',
  'new_customers',
  'churned_mrr',
  'lifetime_value',
] as const
const PAYMENTS_ONLY = [
  'revenue',
  'payments',
  'paying_customers',
  'new_customers',
  'revenue_per_paying_customer',
] as const

export type FigureName = (typeof RECURRING)[number] | (typeof PAYMENTS_ONLY)[number]

/** Whether there is or was MRR: money may come from single payments alone. */
export const hasRecurring = ({ now, previous, ...report }: Report): boolean =>
  [report, previous].some(
    ({ mrr, mrr_at_start, new_mrr, reactivation_mrr, churned_mrr }) =>
      mrr !== 0 || mrr_at_start !== 0 || new_mrr !== 0 || reactivation_mrr !== 0 || churned_mrr !== 0,
  ) ||
  (now !== null && now.mrr !== 0)

export const figuresOf = (report: Report): readonly FigureName[] =>
  hasRecurring(report) ? RECURRING : PAYMENTS_ONLY

/** Whether there is no money at all, in this period and before. */
export const isWithoutMoney = (report: Report): boolean =>
  !hasRecurring(report) && report.payments + report.previous.payments === 0 && report.revenue === 0

/** Returns the course that the address asks for; that of MRR by default, or of revenue where there is no MRR. */
export function chosenCourse(params: URLSearchParams, report: Report | undefined): Course {
  const isRecurring = !report || hasRecurring(report)
  const wanted = params.get('metric') as Course
  if (!isRecurring) return 'revenue'
  return COURSES.includes(wanted) ? wanted : 'mrr'
}

const COUNTS: readonly FigureName[] = ['active_customers', 'new_customers', 'payments', 'paying_customers']
const SIGNED: readonly FigureName[] = ['net_new_mrr', 'churned_mrr']

export const isMoneyFigure = (name: FigureName): boolean => !COUNTS.includes(name)

/** Returns how a figure is written: short in its place, with every digit in a tooltip. */
export function figureText(format: Format, name: FigureName) {
  if (COUNTS.includes(name)) return { short: format.count, exact: format.exact }
  const exact = (minor: number) => format.exactMoney(minor)
  return { short: SIGNED.includes(name) ? format.signedMoney : format.money, exact }
}
