import { DAY_MS } from '../../src/platform/lib/time.ts'
import type { Random } from '../random.ts'
import { chargeOf, larger, monthlyOf, smaller, type Terms, type Tier, termsOf } from './plans.ts'

const TRIAL_MS = 14 * DAY_MS
/** Shares of the months, or years, of a subscription after which it ends, and the factor for large customers, who stay longer. */
const ENDS = { month: 0.05, year: 0.2 }
const ENDS_OF_BUSINESS = 0.4
/** Shares of the months, or years, in which a subscription changes. */
const GROWS = 0.07
const SHRINKS = 0.022
/** Share of payments that are given back, all of it or half. */
const REFUNDED = 0.012

/** A moment at which a subscription changes. Times are Unix milliseconds. */
export interface Step {
  at: number
  status: 'trialing' | 'active' | 'canceled'
  /** Whether it was cancelled for the end of its paid time. */
  isEnding?: true
  terms: Terms
}

export interface Invoice {
  at: number
  cents: number
  isFirst: boolean
  refund?: { at: number; cents: number }
}

export interface Subscription {
  /** The first one is that of its start; ascending. */
  steps: Step[]
  invoices: Invoice[]
}

export interface Begin {
  at: number
  tier: Tier
  hasTrial: boolean
  /** Whether it goes on after the trial. */
  pays: boolean
}

/** Makes up a subscription from its start up to now. */
export function subscribe(random: Random, { at, tier, hasTrial, pays }: Begin, now: number): Subscription {
  const terms = termsOf(random, tier)
  if (!hasTrial) return live(random, at, terms, now)
  const trial: Step = { at, status: 'trialing', terms }
  const end = at + TRIAL_MS
  if (end > now) return { steps: [trial], invoices: [] }
  if (!pays) return { steps: [trial, { at: end, status: 'canceled', terms }], invoices: [] }
  const paid = live(random, end, terms, now)
  return { steps: [trial, ...paid.steps], invoices: paid.invoices }
}

/** The part of a subscription that is paid. */
function live(random: Random, start: number, first: Terms, now: number): Subscription {
  const steps: Step[] = [{ at: start, status: 'active', terms: first }]
  const invoices: Invoice[] = [invoiceOf(random, start, first, true, now)]
  let terms = first
  const months = first.interval === 'year' ? 12 : 1
  for (let cycle = 1; ; cycle++) {
    const [from, to] = [monthsAfter(start, (cycle - 1) * months), monthsAfter(start, cycle * months)]
    const within = from + Math.round((to - from) * (0.1 + random.next() * 0.8))
    if (random.chance(ENDS[terms.interval] * (terms.tier === 'business' ? ENDS_OF_BUSINESS : 1))) {
      if (within <= now) steps.push({ at: within, status: 'active', isEnding: true, terms })
      if (to <= now) steps.push({ at: to, status: 'canceled', terms })
      return { steps, invoices }
    }
    const changed = changeOf(random, terms)
    if (changed && within <= now) {
      terms = changed
      steps.push({ at: within, status: 'active', terms })
    }
    if (to > now) return { steps, invoices }
    invoices.push(invoiceOf(random, to, terms, false, now))
  }
}

function changeOf(random: Random, terms: Terms): Terms | undefined {
  const draw = random.next()
  if (draw < GROWS) return larger(random, terms)
  const less = smaller(terms)
  return draw < GROWS + SHRINKS && monthlyOf(less) < monthlyOf(terms) ? less : undefined
}

function invoiceOf(random: Random, at: number, terms: Terms, isFirst: boolean, now: number): Invoice {
  const cents = chargeOf(terms)
  const refundAt = at + random.between(1, 6) * DAY_MS
  if (!random.chance(REFUNDED) || refundAt > now) return { at, cents, isFirst }
  return { at, cents, isFirst, refund: { at: refundAt, cents: random.chance(0.7) ? cents : cents / 2 } }
}

/** Returns the same day and time of a later month; the last day of a month that is too short. */
function monthsAfter(at: number, months: number): number {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, last))
}

/** Returns what a subscription adds to MRR now; cents. */
export function mrrOf({ steps }: Subscription): number {
  const { status, terms } = steps.at(-1)!
  return status === 'active' ? monthlyOf(terms) : 0
}
