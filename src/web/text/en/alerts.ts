import { counted } from '../plural.ts'

/** Alerts of a site. */
export const alerts = {
  hint: 'Checked every five minutes. One message when something begins, one when it is over.',
  none: 'No alert yet',
  add: 'New alert',
  edit: 'Change the alert',
  name: 'Name',
  kind: 'When',
  kinds: {
    traffic_spike: 'More traffic than usual',
    traffic_drop: 'Less traffic than usual',
    no_hits: 'No visits at all',
    error_rate: 'Errors per 100 pageviews',
    error_count: 'Errors in an hour',
    goal: 'A goal',
    mrr_churn: 'Lost MRR',
  },
  kindHints: {
    traffic_spike: 'The last hour against the median of the same hour in the last four weeks.',
    traffic_drop: 'The last hour against the median of the same hour in the last four weeks.',
    no_hits: 'No pageview and no event for some hours.',
    error_rate: 'In the last hour.',
    error_count: 'In the last hour.',
    goal: '“More often than 0 times” is met by one conversion. The next message comes after the hours have passed without any.',
    mrr_churn: 'MRR of subscriptions that ended or became cheaper.',
  },
  metric: 'What is counted',
  metrics: { visitors: 'Visitors', pageviews: 'Pageviews' },
  percents: {
    traffic_spike: 'Percent more than usual',
    traffic_drop: 'Percent less than usual',
    error_rate: 'Errors per 100 pageviews',
  },
  counts: { error_count: 'Errors', goal: 'Times' },
  hours: { goal: 'Within how many hours', no_hits: 'After how many hours' },
  numbers: { minimum: 'Only with at least this much traffic in the hour', value: 'Limit, in percent' },
  amountIn: (currency: string) => `Limit, in ${currency}`,
  goal: 'Goal',
  chooseGoal: 'Choose a goal',
  operator: 'Reached',
  operators: { above: 'More often than', below: 'Less often than' },
  unit: 'Measured in',
  units: { percent: 'Percent of the MRR', amount: 'Amount' },
  days: 'Within',
  oneDay: '24 hours',
  oneWeek: '7 days',
  emails: 'Mail to',
  emailsHint:
    'One address a line, at most ten. An address that is not a proven one of your team is asked first, by one mail.',
  addressWith: (address: string, state: string) => `${address} (${state})`,
  addressStates: {
    waiting: 'waits for its owner to agree',
    unsubscribed: 'has unsubscribed',
    not_asked: 'was not asked yet',
    no_access: 'does not reach the site any more',
  },
  webhooks: 'Webhooks',
  webhookCount: (count: number) => counted(String(count), 'webhook', 'webhooks'),
  sendsNothing: 'Sends no message',
  off: 'Turned off',
  openSince: (time: string) => `Open since ${time}`,
  fromTo: (from: string, to: string) => `${from} – ${to}`,
  test: 'Send a test',
  tested: 'The test is on its way.',
  turnOff: 'Turn off',
  turnOn: 'Turn on',
  delete: 'Delete the alert',
  deleteQuestion: (name: string) => `“${name}” will not be checked any more. Its incidents stay in the list.`,
  incidents: 'Incidents',
  noIncidents: 'No incident yet',
  resolutions: {
    normal: 'normal again',
    goal_deleted: 'its goal was deleted',
    too_little_data: 'too little data to judge it for a week',
    changed: 'the alert was changed, turned off or deleted',
  },
  /** As the subject of a sentence. */
  counted: { visitors: 'visitors', pageviews: 'pageviews' },
  sentences: {
    traffic_spike: (counted: string, value: string, bound: string) =>
      `${value} ${counted} in the last hour; more than ${bound} are unusual at this time of the week.`,
    traffic_drop: (counted: string, value: string, bound: string) =>
      `${value} ${counted} in the last hour; ${bound} or fewer are unusual at this time of the week.`,
    error_rate: (value: string, bound: string) =>
      `${value} errors per 100 pageviews in the last hour; the limit is ${bound}.`,
    error_count: (value: string, bound: string) => `${value} errors in the last hour; the limit is ${bound}.`,
    goal: {
      above: (goal: string, hours: string, value: string, bound: string) =>
        `Conversions of the goal “${goal}” in the last ${hours} h: ${value}; the alert is about more than ${bound}.`,
      below: (goal: string, hours: string, value: string, bound: string) =>
        `Conversions of the goal “${goal}” in the last ${hours} h: ${value}; the alert is about fewer than ${bound}.`,
    },
    mrr_churn: {
      1: (value: string, bound: string) => `MRR lost in the last 24 hours: ${value}; the limit is ${bound}.`,
      7: (value: string, bound: string) => `MRR lost in the last 7 days: ${value}; the limit is ${bound}.`,
    },
    no_hits: (value: string, bound: string) => `No visit for ${value} h; the limit is ${bound} h.`,
  },
}
