import { moneyText } from '../../money/money-text.ts'
import type { Condition } from './conditions.ts'
import type { Verdict } from './judge.ts'

const number = (value: number) => String(Math.round(value * 100) / 100)
const METRICS = { visitors: 'visitors', pageviews: 'pageviews' }

/** Returns what an incident is about, in one sentence. */
export function sentenceOf(
  condition: Condition,
  { value, bound }: Verdict,
  { currency, goal }: { currency: string; goal: string },
): string {
  switch (condition.kind) {
    case 'traffic_spike':
      return `${number(value)} ${METRICS[condition.metric]} in the last hour; more than ${number(bound)} are unusual at this time of the week.`
    case 'traffic_drop':
      return `${number(value)} ${METRICS[condition.metric]} in the last hour; fewer than ${number(bound)} are unusual at this time of the week.`
    case 'error_rate':
      return `${number(value)} errors per 100 pageviews in the last hour; the limit is ${number(bound)}.`
    case 'error_count':
      return `${number(value)} errors in the last hour; the limit is ${number(bound)}.`
    case 'goal':
      return `The goal “${goal}” was reached ${number(value)} times in ${condition.hours} hours; the limit is ${condition.operator} ${number(bound)}.`
    case 'mrr_churn': {
      const days = condition.days === 1 ? '24 hours' : '7 days'
      return condition.unit === 'amount'
        ? `${moneyText(value, currency)} of MRR were lost in ${days}; the limit is ${moneyText(bound, currency)}.`
        : `${number(value)} % of the MRR were lost in ${days}; the limit is ${number(bound)} %.`
    }
    case 'no_hits':
      return `There was no hit for ${number(value)} hours; the limit is ${number(bound)}.`
  }
}

/** Returns a time span in words: `2 h 5 min`. */
export function spanText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24]
  const parts = [
    days > 0 && `${days} d`,
    hours > 0 && `${hours} h`,
    minutes % 60 > 0 && `${minutes % 60} min`,
  ]
  return parts.filter(Boolean).join(' ')
}
