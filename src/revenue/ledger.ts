import type { LifecycleName } from '../ingestion/reserved-names.ts'

/** A subscription as it was from a moment on. */
export interface State {
  /** Unix milliseconds. */
  at: number
  /** Id of the processor's event that tells of it. */
  key: string
  /** Stripe's. */
  status: string
  currency: string
  /** Minor units; what it brings a month if it counts. */
  mrr: number
  /** It will end by itself, by what was set last. */
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

/** What becomes an event of a subscription. */
export interface Milestone {
  at: number
  name: LifecycleName
  /** Id of the event or invoice it comes from. */
  key: string
}

const COUNTING = new Set(['active', 'past_due'])
export const isCounting = (status: string) => COUNTING.has(status)
const OVER = new Set(['canceled', 'incomplete_expired'])

/** The order of states that Stripe reports within one second: as lives go, and the end last. */
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

/** By the event's time, then status, then id: never by arrival. */
export function compareStates(a: Ordinal, b: Ordinal): number {
  return (
    a.at - b.at ||
    STATUS_ORDER.indexOf(a.status) - STATUS_ORDER.indexOf(b.status) ||
    (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
  )
}

/**
 * What a life means for MRR and for the event log. `past_due` still counts; whatever is neither active nor past due does
 * not, so that the movements up to a moment always add up to what counts then.
 * @param states in the order of `compareStates`
 * @see contract §10, the table of what is recorded
 */
export function tellLife(states: readonly State[]): { movements: Movement[]; milestones: Milestone[] } {
  const movements: Movement[] = []
  const milestones: Milestone[] = []
  let before: State | undefined
  let counted: { mrr: number; currency: string } | undefined
  let isInTrial = false
  for (const state of states) {
    const { at, key, currency, mrr } = state
    const tell = (name: LifecycleName) => milestones.push({ at, name, key })
    const move = (kind: MovementKind, amountMinor: number, inCurrency = currency) => {
      if (amountMinor !== 0) movements.push({ at, kind, currency: inCurrency, amountMinor })
    }
    const counts = isCounting(state.status)
    if (counted && !(counts && counted.currency === currency)) {
      move('end', -counted.mrr, counted.currency)
      tell('subscription_ended')
      counted = undefined
    }
    if (state.status === 'trialing' && before?.status !== 'trialing') {
      if (!isInTrial) tell('trial_started')
      isInTrial = true
    }
    if (counts && !counted) {
      tell(isInTrial ? 'trial_converted' : 'subscription_started')
      move('start', mrr)
      isInTrial = false
    } else if (counts && counted && mrr !== counted.mrr) {
      const isMore = mrr > counted.mrr
      tell(isMore ? 'subscription_upgraded' : 'subscription_downgraded')
      move(isMore ? 'upgrade' : 'downgrade', mrr - counted.mrr)
    }
    if (counts) counted = { mrr, currency }
    if (!OVER.has(state.status) && state.isEnding !== (before?.isEnding ?? false)) {
      tell(state.isEnding ? 'subscription_cancel_scheduled' : 'subscription_reactivated')
    }
    before = state
  }
  return { movements, milestones }
}

/**
 * What has to be appended so that the ledger's sums by moment, kind and currency become those that are wanted.
 * Nothing that was recorded is changed.
 * @throws RangeError for a movement beyond exact numbers
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
  // Recorded, it could not be read again, and with it no later event of the subscription.
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

/** When a subscription was tried before it counted, Unix milliseconds. */
export interface Trial {
  from: number
  /** Infinity as long as no other state follows. */
  until: number
}

/**
 * The trial that a life begins with. One that is granted to a subscription that counts is none of these: what is paid
 * after it is paid by a customer who paid before.
 * @param states in the order of `compareStates`
 */
export function trialOf(states: readonly State[]): Trial | undefined {
  const start = states.findIndex(({ status }) => status === 'trialing')
  if (start < 0 || states.slice(0, start).some(({ status }) => isCounting(status))) return undefined
  const end = states.slice(start).find(({ status }) => status !== 'trialing')
  return { from: states[start]!.at, until: end?.at ?? Number.POSITIVE_INFINITY }
}

/** Reasons of invoices that are for no period of a subscription. */
const ONE_OFF = new Set(['manual', 'automatic_pending_invoice_item_invoice'])

/**
 * Which invoices paid for a later cycle. The first charge after the trial that a life begins with is none, though Stripe
 * calls it a cycle; a fee that was paid when the trial began does not make it a later one. Before the trial, or without
 * one, a cycle is a later one, even when nothing before it is known.
 * @param invoices with an amount above 0
 */
export function renewalsOf(invoices: readonly PaidInvoice[], trial: Trial | undefined): PaidInvoice[] {
  const inOrder = [...invoices].sort((a, b) => a.paidAt - b.paidAt || (a.id < b.id ? -1 : 1))
  let isStarted = false
  return inOrder.filter(({ reason, paidAt }) => {
    const isCycle = reason === 'subscription_cycle'
    // Before 2018 one word stood for every reason, and earlier none.
    const mayBeCycle = reason === null || reason === 'subscription'
    const isTried = trial !== undefined && trial.from <= paidAt
    const isFee = mayBeCycle ? isTried && paidAt < trial.until : trial && reason === 'subscription_create'
    if (isFee || ONE_OFF.has(reason ?? '')) return false
    const isFirst = !isStarted
    isStarted = true
    return isCycle ? !(isFirst && isTried) : mayBeCycle && !isFirst
  })
}
