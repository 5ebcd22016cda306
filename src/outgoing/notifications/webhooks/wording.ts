import { moneyText } from '../../../money/money-text.ts'
import type { Resolution } from '../alerts/incident-rows.ts'
import { alertTexts } from '../alerts/texts/alert-texts.ts'
import { spanText } from '../alerts/texts/span-text.ts'
import type { OutgoingEvent } from './body.ts'

export interface Line {
  label: string
  value: string
}

export interface Wording {
  title: string
  lines: Line[]
  /** As Discord takes it: RGB as a number. */
  color: number
}

const BLUE = 0x2f6fed
const GREEN = 0x1a8f4c
const RED = 0xc8372d

type Data = Record<string, unknown>
type Words = (data: Data) => { what: string; lines?: Line[]; color?: number }

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const money = (amount: unknown, currency: unknown) => moneyText(Number(amount), text(currency))

const line = (label: string, value: unknown): Line[] =>
  text(value) === '' ? [] : [{ label, value: text(value) }]

const subscription =
  (what: string, color = BLUE): Words =>
  data => ({
    what,
    color,
    lines: [
      ...line('MRR', data.currency ? money(data.mrr, data.currency) : ''),
      ...line('Subscription', data.subscription_id),
      ...line('Customer', data.customer_id),
    ],
  })

const alertName = (data: Data) => text((data.alert as Data).name)

/** What chats say of each type of event. */
const WORDS: Record<string, Words> = {
  'goal.converted': data => ({
    what: `Goal: ${text((data.goal as Data).display_name)}`,
    color: GREEN,
    lines: [...line('Page', data.path), ...line('Source', data.source), ...line('Country', data.country)],
  }),
  'payment.paid': data => ({
    what: `Payment of ${money(data.amount, data.currency)}`,
    color: GREEN,
    lines: [...line('Transaction', data.transaction_id), ...line('Customer', data.customer_id)],
  }),
  'payment.refunded': data => ({
    what: `${money(data.refunded_amount, data.currency)} of ${money(data.amount, data.currency)} refunded so far`,
    color: RED,
    lines: [...line('Transaction', data.transaction_id), ...line('Customer', data.customer_id)],
  }),
  'trial.started': subscription('Trial started'),
  'trial.converted': subscription('Trial became a subscription', GREEN),
  'subscription.started': subscription('New subscription', GREEN),
  'subscription.renewed': subscription('Subscription renewed', GREEN),
  'subscription.upgraded': subscription('Subscription upgraded', GREEN),
  'subscription.downgraded': subscription('Subscription downgraded', RED),
  'subscription.cancel_scheduled': subscription('Subscription will end', RED),
  'subscription.reactivated': subscription('Subscription goes on', GREEN),
  'subscription.ended': subscription('Subscription ended', RED),
  'alert.opened': data => ({ what: `Alert: ${alertName(data)}`, color: RED, lines: line('', data.text) }),
  'alert.resolved': data => ({
    what: `Over: ${alertName(data)}`,
    color: GREEN,
    lines: [
      ...line('Lasted', spanText(1_000 * Number(data.duration_seconds))),
      ...line('Began with', data.text),
      ...line('', alertTexts('en').reasons[data.resolution as Resolution]),
    ],
  }),
  'alert.test': data => ({ what: `Test of the alert ${alertName(data)}` }),
  test: () => ({ what: 'Test message' }),
}

/** Returns what a chat shows of an event. */
export function titleOf({ type, domain, data }: OutgoingEvent): Wording {
  const { what, lines = [], color = BLUE } = WORDS[type]!(JSON.parse(data))
  return { title: `${domain}: ${what}`, lines, color }
}
