import type { LifecycleName } from '../../storage/events/reserved-names.ts'

/** State of a subscription from `at` until the next state. */
export interface State {
  /** Unix milliseconds. */
  at: number
  /** Id of the processor's event that reports it. */
  key: string
  /** Stripe's status. */
  status: string
  currency: string
  /** MRR in minor units; used only while the status counts. */
  mrr: number
  /** Whether the end of the subscription is scheduled. */
  isEnding: boolean
}

export type MovementKind = 'start' | 'end' | 'upgrade' | 'downgrade'

export interface Movement {
  /** Unix milliseconds. */
  at: number
  kind: MovementKind
  currency: string
  /** Signed, minor units. */
  amountMinor: number
}

/** A lifecycle event of a subscription. */
export interface LifecycleEvent {
  at: number
  name: LifecycleName
  /** Id of the processor's event or invoice that causes it. */
  key: string
}

const COUNTING = new Set(['active', 'past_due'])
export const isCounting = (status: string) => COUNTING.has(status)
const OVER = new Set(['canceled', 'incomplete_expired'])
export const isOver = (status: string) => OVER.has(status)

/** Order of the states that Stripe reports within one second: the usual course of a subscription, with the end last. */
const STATUS_ORDER = [
  'incomplete',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'incomplete_expired',
  'canceled',
]

type Ordinal = Pick<State, 'at' | 'key' | 'status'>

/** Sorts by the event's time, then status, then id. The order of arrival has no effect. */
export function compareStates(a: Ordinal, b: Ordinal): number {
  return (
    a.at - b.at ||
    STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status) ||
    (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  )
}

/**
 * Derives MRR movements and lifecycle events from a subscription history. Only `active` and `past_due` count, so that the
 * movements up to a moment always add up to the MRR at that moment.
 * @param states in the order of `compareStates`
 * @see docs/metrics.md "MRR movement" and "Lifecycle event"
 */
export function deriveMovements(states: readonly State[]): {
  movements: Movement[]
  lifecycleEvents: LifecycleEvent[]
} {
  const movements: Movement[] = []
  const lifecycleEvents: LifecycleEvent[] = []
  let before: State | undefined
  let counted: { mrr: number; currency: string } | undefined
  let isInTrial = false
  for (const state of states) {
    const { at, key, currency, mrr } = state
    const record = (name: LifecycleName) => lifecycleEvents.push({ at, name, key })
    const move = (kind: MovementKind, amountMinor: number, inCurrency = currency) => {
      if (amountMinor !== 0) movements.push({ at, kind, currency: inCurrency, amountMinor })
    }
    const counts = isCounting(state.status)
    if (counted && !(counts && counted.currency === currency)) {
      move('end', -counted.mrr, counted.currency)
      record('subscription_ended')
      counted = undefined
    }
    if (state.status === 'trialing' && before?.status !== 'trialing') {
      if (!isInTrial) record('trial_started')
      isInTrial = true
    }
    if (counts && !counted) {
      record(isInTrial ? 'trial_converted' : 'subscription_started')
      move('start', mrr)
      isInTrial = false
    } else if (counts && counted && mrr !== counted.mrr) {
      const isMore = mrr > counted.mrr
      record(isMore ? 'subscription_upgraded' : 'subscription_downgraded')
      move(isMore ? 'upgrade' : 'downgrade', mrr - counted.mrr)
    }
    if (counts) counted = { mrr, currency }
    if (!isOver(state.status) && state.isEnding !== (before?.isEnding ?? false)) {
      record(state.isEnding ? 'subscription_cancel_scheduled' : 'subscription_reactivated')
    }
    before = state
  }
  return { movements, lifecycleEvents }
}

/**
 * Returns the movements to append so that the ledger's sums by moment, kind and currency equal the wanted sums. Recorded
 * movements are never changed.
 * @throws RangeError for a movement beyond 2^53 − 1
 */
export function compensate(recorded: readonly Movement[], wanted: readonly Movement[]): Movement[] {
  const missing = new Map<string, Movement>()
  const count = (movement: Movement, sign: 1 | -1) => {
    const { at, kind, currency, amountMinor } = movement
    const key = `${at}/${kind}/${currency}`
    const sum = missing.get(key) ?? { at, kind, currency, amountMinor: 0 }
    sum.amountMinor += sign * amountMinor
    missing.set(key, sum)
  }
  for (const movement of wanted) count(movement, 1)
  for (const movement of recorded) count(movement, -1)
  const movements = [...missing.values()].filter(({ amountMinor }) => amountMinor !== 0)
  // If it were recorded, it could not be read back, and every later event of the subscription would fail.
  const beyond = movements.find(({ amountMinor }) => !Number.isSafeInteger(amountMinor))
  if (beyond) throw new RangeError(`a movement of ${beyond.amountMinor} is beyond exact numbers`)
  return movements.sort((a, b) => a.at - b.at)
}

/** A paid invoice of a subscription. */
export interface PaidInvoice {
  id: string
  /** Unix milliseconds. */
  paidAt: number
  /** Stripe's `billing_reason`. */
  reason: string | null
}

/** Trial of a subscription before it first counted, Unix milliseconds. */
export interface Trial {
  from: number
  /** Infinity while no other state follows. */
  until: number
}

/**
 * Returns the trial at the start of a subscription history. A trial of a subscription that already counted is ignored: a
 * payment after it comes from a customer who paid before.
 * @param states in the order of `compareStates`
 */
export function trialOf(states: readonly State[]): Trial | undefined {
  const start = states.findIndex(({ status }) => status === 'trialing')
  if (start < 0 || states.slice(0, start).some(({ status }) => isCounting(status))) return undefined
  const end = states.slice(start).find(({ status }) => status !== 'trialing')
  return { from: states[start]!.at, until: end?.at ?? Number.POSITIVE_INFINITY }
}

/** Billing reasons of invoices that do not cover a period of a subscription. */
const ONE_OFF = new Set(['manual', 'automatic_pending_invoice_item_invoice'])

/**
 * Returns the invoices that paid for a later cycle. The first charge after the initial trial is not one, although Stripe calls
 * it a cycle; a fee at the start of the trial does not change that. Before the trial, or without one, a cycle is always a
 * later cycle, even when no earlier invoice is known.
 * @param invoices invoices with an amount above 0
 */
export function renewalsOf(invoices: readonly PaidInvoice[], trial: Trial | undefined): PaidInvoice[] {
  const inOrder = [...invoices].sort((a, b) => a.paidAt - b.paidAt || (a.id < b.id ? -1 : 1))
  let isStarted = false
  return inOrder.filter(({ reason, paidAt }) => {
    const isCycle = reason === 'subscription_cycle'
    // Before 2018 Stripe used one value, `subscription`, for all these reasons; before that it sent no reason.
    const mayBeCycle = reason === null || reason === 'subscription'
    const isTried = trial !== undefined && trial.from <= paidAt
    const isFee = mayBeCycle ? isTried && paidAt < trial.until : trial && reason === 'subscription_create'
    if (isFee || ONE_OFF.has(reason ?? '')) return false
    const isFirst = !isStarted
    isStarted = true
    return isCycle ? !(isFirst && isTried) : mayBeCycle && !isFirst
  })
}
