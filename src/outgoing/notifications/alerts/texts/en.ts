import type { AlertTexts } from './alert-texts.ts'

const METRICS = { visitors: 'visitors', pageviews: 'pageviews' }

export const en: AlertTexts = {
  sentences: {
    traffic_spike: ({ metric }, { value, bound }, { decimal }) =>
      `${decimal(value)} ${METRICS[metric]} in the last hour; more than ${decimal(bound)} are unusual at this time of the week.`,
    traffic_drop: ({ metric }, { value, bound }, { decimal }) =>
      `${decimal(value)} ${METRICS[metric]} in the last hour; ${decimal(bound)} or fewer are unusual at this time of the week.`,
    error_rate: (_, { value, bound }, { decimal }) =>
      `${decimal(value)} errors per 100 pageviews in the last hour; the limit is ${decimal(bound)}.`,
    error_count: (_, { value, bound }, { decimal }) =>
      `${decimal(value)} errors in the last hour; the limit is ${decimal(bound)}.`,
    goal: ({ hours, operator }, { value, bound, goalName }, { decimal }) =>
      `Conversions of the goal “${goalName}” in the last ${hours} h: ${decimal(value)}; the alert is about ${operator === 'above' ? 'more' : 'fewer'} than ${decimal(bound)}.`,
    mrr_churn: ({ unit, days }, { value, bound }, { decimal, money }) => {
      const shown = unit === 'amount' ? money : (percent: number) => `${decimal(percent)} %`
      return `MRR lost in the last ${days === 1 ? '24 hours' : '7 days'}: ${shown(value)}; the limit is ${shown(bound)}.`
    },
    no_hits: (_, { value, bound }, { decimal }) =>
      `No visit for ${decimal(value)} h; the limit is ${decimal(bound)} h.`,
  },
  subjects: { opened: 'Alert', resolved: 'Over', test: 'Test' },
  test: 'This is a test.',
  opened: (name, domain, sentence) => `The alert “${name}” of ${domain}: ${sentence}`,
  since: time => `Time: ${time}`,
  over: (name, domain) => `The alert “${name}” of ${domain} is over.`,
  reasons: {
    goal_deleted: 'Its goal was deleted, so it is not checked any more.',
    too_little_data: 'For a week there was too little data to check it.',
  },
  lasted: (span, from, to) => `It lasted ${span}, from ${from} to ${to}.`,
  began: sentence => `It began with: ${sentence}`,
  open: 'Open the site',
}
