import { ratio } from '../../platform/lib/numbers.ts'
import type { BreakdownMetric } from '../breakdown/row.ts'
import { type Explanation, made, plain } from './explanation.ts'
import { TRAFFIC } from './of-overview.ts'

const HEADING = 'Breakdown'

/** Every metric of a row of a breakdown. */
export const BREAKDOWN: Record<BreakdownMetric, Explanation> = {
  pageviews: plain('pageviews', 'session', HEADING, 'Pageviews of the range with the value.'),
  visitors: plain(
    'visitors',
    'session',
    HEADING,
    'Distinct visitors with a hit with the value in the range: one who came on three days is one visitor.',
  ),
  sessions: plain('sessions', 'session', HEADING, 'Sessions with the value, counted when they start.'),
  views_per_visit: { ...TRAFFIC.views_per_visit, heading: HEADING },
  bounce_rate: TRAFFIC.bounce_rate,
  avg_session_seconds: made({
    rule: 'Time from the first to the last hit of each session with the value, as a mean of those whose time is known.',
    heading: 'Session duration',
    terms: ['duration_ms', 'timed_sessions'],
    formula: 'duration_ms ÷ 1000 ÷ timed_sessions',
    number: total => ratio(total('duration_ms'), 1000n * total('timed_sessions'), 2),
    rows: 'session',
  }),
  time_on_page_seconds: made({
    rule: 'Engaged time there, as a mean of the sessions that have any; of `path` and `title` only.',
    heading: HEADING,
    terms: ['engaged_ms', 'engaged_sessions'],
    formula: 'engaged_ms ÷ 1000 ÷ engaged_sessions',
    number: total =>
      total('engaged_sessions') === 0n
        ? null
        : ratio(total('engaged_ms'), 1000n * total('engaged_sessions'), 2),
    rows: 'session',
  }),
  scroll_depth: made({
    rule: 'The deepest scroll of each session there, as a mean of the sessions that scrolled; of `path` and `title` only.',
    heading: HEADING,
    terms: ['scroll_percent', 'scrolled_sessions'],
    formula: 'scroll_percent ÷ scrolled_sessions',
    number: total =>
      total('scrolled_sessions') === 0n
        ? null
        : ratio(total('scroll_percent'), total('scrolled_sessions'), 2),
    rows: 'session',
  }),
  converting_visitors: plain(
    'converting_visitors',
    'visitor',
    HEADING,
    'Distinct visitors who converted the goal in a session with the value.',
  ),
  conversion_rate: made({
    rule: 'Visitors who converted the goal in a session with the value, in percent of the visitors of the row.',
    heading: HEADING,
    terms: ['converting_visitors', 'visitors'],
    formula: '100 × converting_visitors ÷ visitors',
    number: total => ratio(100n * total('converting_visitors'), total('visitors'), 1),
    rows: 'visitor',
  }),
  revenue: plain(
    'revenue',
    'payment',
    HEADING,
    'What sessions with the value paid in the range, less refunds.',
  ),
  mrr: plain(
    'mrr_change',
    'movement',
    HEADING,
    'The sum of the movements of recurring revenue in the range that belong to sessions with the value.',
  ),
  revenue_per_visitor: made({
    rule: 'What sessions with the value paid, divided by the visitors of the row.',
    heading: HEADING,
    terms: ['revenue', 'visitors'],
    formula: 'revenue ÷ visitors',
    number: total => ratio(total('revenue'), total('visitors'), 2),
    rows: 'payment',
  }),
}
