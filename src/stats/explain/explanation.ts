import type { PaymentTerm, RecurringTerm } from './money-terms.ts'
import type { TrafficTerm } from './traffic-terms.ts'

/** Counts and amounts that numbers are made of. */
export type TermName =
  | TrafficTerm
  | PaymentTerm
  | RecurringTerm
  | 'all_visitors'
  | 'converting_visitors'
  | 'paying_customers'

/** What the rows behind a number are. */
export const ROW_KINDS = [
  'session',
  'visitor',
  'payment',
  'movement',
  'subscription',
  'customer',
  'change',
] as const
export type RowKind = (typeof ROW_KINDS)[number]

/** Totals of the terms of a metric. */
export type TotalOf<Name extends TermName> = (name: Name) => bigint

/** How a metric is made of terms, and which rows are behind it. */
export interface Explanation<Name extends TermName = TermName> {
  /** One sentence. */
  rule: string
  /** Heading of the definition in docs/metrics.md. */
  heading: string
  terms: readonly Name[]
  /** How the number follows from the terms, for people. */
  formula: string
  /** The number; null where its definition says so. */
  number: (total: TotalOf<Name>, days: number) => number | bigint | null
  rows: RowKind
}

/** Declares a metric that is made of several terms. */
export const made = <Name extends TermName>(explanation: Explanation<Name>): Explanation =>
  explanation as unknown as Explanation

/** Declares a metric that is one term. */
export const plain = (term: TermName, rows: RowKind, heading: string, rule: string): Explanation => ({
  rule,
  heading,
  terms: [term],
  formula: term,
  number: total => total(term),
  rows,
})
