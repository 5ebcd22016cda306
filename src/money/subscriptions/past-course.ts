import { DAY_MS, HOUR_MS } from '../../platform/lib/time.ts'
import type { Origin, PaidInvoice } from '../processor/past-objects.ts'

/** The status of a subscription over time, as far as its own times and its first invoice tell. Unix milliseconds. */
export interface Course {
  startAt: number
  /** When it ended; Infinity while it has not. */
  endAt: number
  /** Times at which the status, or whether its end is scheduled, may change. */
  times: number[]
  statusAt(at: number): string
  isEndingAt(at: number): boolean
}

/** Stripe lets the first payment of a subscription wait for 23 hours. */
const MOST_INCOMPLETE_MS = DAY_MS
/** A trial that begins this soon after the subscription is its first state. */
const SAME_MS = 60_000

/** @param now when the API was asked */
export function courseOf(origin: Origin, invoices: readonly PaidInvoice[], now: number): Course {
  const { createdAt, canceledAt, state } = origin
  const isOver = state.status === 'canceled' || state.status === 'incomplete_expired'
  const endAt = origin.endedAt ?? (isOver ? now : Number.POSITIVE_INFINITY)
  const trial = trialIn(origin)
  const paidFrom = trial ? createdAt : firstPaidAt(origin, invoices)
  const afterTrial = trial ? statusAfterTrial(origin, trial, endAt, invoices) : 'active'
  const scheduledAt =
    canceledAt !== null && (isOver ? canceledAt < endAt - SAME_MS : state.isEnding)
      ? canceledAt
      : Number.POSITIVE_INFINITY

  function statusAt(at: number): string {
    if (at >= endAt) return isOver ? state.status : 'canceled'
    if (at < paidFrom) return 'incomplete'
    if (!trial || at < trial.from) return 'active'
    return at < trial.until ? 'trialing' : afterTrial
  }
  const times = [createdAt, paidFrom, ...(trial ? [trial.from, trial.until] : []), scheduledAt, endAt]
  return {
    startAt: createdAt,
    endAt,
    times: times.filter(at => Number.isFinite(at)),
    statusAt,
    isEndingAt: at => at >= scheduledAt,
  }
}

interface Trial {
  from: number
  until: number
}

/** A trial of the first second begins with the subscription. */
function trialIn({ createdAt, trialStartAt, trialEndAt }: Origin): Trial | undefined {
  if (trialStartAt === null || trialEndAt === null || trialEndAt <= createdAt) return undefined
  return { from: trialStartAt <= createdAt + SAME_MS ? createdAt : trialStartAt, until: trialEndAt }
}

/** A subscription that ends with its trial, or is paused by it, never counted. */
function statusAfterTrial(
  { state }: Origin,
  trial: Trial,
  endAt: number,
  invoices: readonly PaidInvoice[],
): string {
  const wasPaid = invoices.some(each => each.amountMinor > 0 && (each.past?.createdAt ?? 0) >= trial.until)
  if (wasPaid) return 'active'
  if (state.status === 'paused') return 'paused'
  return endAt <= trial.until + HOUR_MS ? 'trialing' : 'active'
}

/** Returns from when a subscription without trial counts: Stripe waits for the first payment of what it charges itself. */
function firstPaidAt({ createdAt, isCharged, state }: Origin, invoices: readonly PaidInvoice[]): number {
  if (state.status === 'incomplete' || state.status === 'incomplete_expired') return Number.POSITIVE_INFINITY
  const first = invoices.find(({ reason, past }) => reason === 'subscription_create' && past !== undefined)
  if (!isCharged || !first?.past?.isDue) return createdAt
  if (!first.past.isPaid) {
    const neverCounted = state.status === 'canceled' && !invoices.some(({ amountMinor }) => amountMinor > 0)
    return neverCounted ? Number.POSITIVE_INFINITY : createdAt
  }
  const paidAt = first.paidAt ?? createdAt
  return paidAt > createdAt && paidAt <= createdAt + MOST_INCOMPLETE_MS ? paidAt : createdAt
}
