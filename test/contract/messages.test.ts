import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { ofFile } from '../support/of-file.ts'
import { expectError } from './requests.ts'
import { startStats } from './stats-site.ts'

const stats = ofFile(startStats)
const site = ofFile(() => stats.site())

const CENTURIES = 'from=1970-01-01&to=2400-01-01'
const LONG = 'from=2016-01-01&to=2026-03-18'

const PAGE = { type: 'pageview', value: '/a' }
const funnelOf = (...steps: object[]) => `/stats/funnel?steps=${encodeURIComponent(JSON.stringify(steps))}`
const WRONG = { type: 'pageview', operator: 'matches_regex', value: '(' }
const COMPARED = 'from=2026-01-01&to=2026-03-18&compare=custom&compare_from=2016-01-01&compare_to=2026-03-18'
const SHORTER =
  'compare_from must leave at most 3,000 buckets: compare with a shorter period, or ask for larger ones with group'
const WINDOW = 'window must be session, or seconds from 3600 (an hour) to 2592000 (30 days)'
const NINES = '9'.repeat(30)

/** Whole messages by read, as a caller of REST sees them: the parameter, what is wrong, and what helps. */
test.each(
  Object.entries({
    [`/stats/timeseries?metric=visitors&${LONG}&group=day`]:
      'group must leave at most 3,000 buckets: ask for larger ones, or for a shorter range',
    [`/stats/events/timeseries?${CENTURIES}`]:
      'from must leave at most 3,000 buckets: ask for a shorter range, or for larger ones with group',
    [`/stats/page-titles/timeseries?title=a&${CENTURIES}`]:
      'from must leave at most 3,000 buckets: ask for a shorter range, or for larger ones with group',
    [`/stats/timeseries?metric=visitors&${COMPARED}`]: SHORTER,
    [`/stats/money/movements?${COMPARED}`]: SHORTER,
    [`/stats/retention?${LONG}&period=day`]:
      'period must leave at most 100 cohorts: ask for longer periods, or for a shorter range',
    [`/stats/people/${randomUUID()}/timeline?page=201&per_page=50`]:
      'page must lie within the newest 10,000 items: ask for an earlier range',
    '/stats/people/%00': 'person must not be empty',
    [`/overview?goal=${randomUUID()}`]: 'goal must be the id of a goal of the site',
    [`/overview?segment=${randomUUID()}`]: 'segment must be the id of a segment of the site',
    '/stats/breakdown?dimension=path&sort=converting_visitors':
      'sort converting_visitors needs conversion_goal',
    '/stats/breakdown?dimension=source&sort=scroll_depth':
      'sort scroll_depth needs the dimension path or title',
    '/overview?path[matches_regex]=(': 'path.matches_regex ( is not a regular expression in RE2 syntax',
    [`/stats/clicks?page=${NINES}`]: 'page must be at most 90071992547409',
    '/stats/scroll?path[contains]=/': 'path must be one path, without operators',
    '/stats/scroll?path=/a&path=/b': 'path must be one path, without operators',
    '/stats/scroll': 'path is required',
    '/stats/journeys?starting_at[is]=/': 'starting_at must be one value, without operators',
    '/stats/journeys?starting_at=/&steps=0': 'steps must be an integer from 1 to 8',
    '/stats/journeys?starting_at=/&steps=x': 'steps must be an integer from 1 to 8',
    '/stats/journeys?starting_at=/&branches=21': 'branches must be an integer from 1 to 20',
    [`/stats/retention?periods=${NINES}`]: 'periods must be an integer from 1 to 52',
    '/stats/funnel': 'steps must be a list of 2 to 8 steps',
    '/stats/funnel?steps=[{': 'steps must be valid JSON: a list of 2 to 8 steps',
    '/stats/funnel?steps=%22a%20text,%20no%20list%22': 'steps must be a list of 2 to 8 steps',
    [funnelOf(PAGE)]: 'steps must be a list of 2 to 8 steps',
    [funnelOf(...Array(9).fill(PAGE))]: 'steps must be a list of 2 to 8 steps',
    '/stats/funnel?steps=[]&steps=[]': 'steps must be given once, with all steps in one list',
    [funnelOf(PAGE, WRONG)]: 'steps.1.value is not a regular expression in RE2 syntax',
    [funnelOf({ ...PAGE, scroll_threshold: 5 }, PAGE)]: 'steps.0.scroll_threshold is only for scroll steps',
    [funnelOf({ ...PAGE, props: { a: 'b' } }, PAGE)]: 'steps.0.props are only for event steps',
    ...Object.fromEntries(
      ['0', '99999999999', '1&window=2'].map(window => [`${funnelOf(PAGE, PAGE)}&window=${window}`, WINDOW]),
    ),
  }),
)('messages of 422: %s', async (path, message) => {
  const answer = await stats.ask(`${site.path}${path}`)
  expectError(answer, 422, 'validation_failed')
  expect(answer.json.message).toBe(message)
  const [[field, messages], ...others] = Object.entries<string[]>(answer.json.errors) as [[string, string[]]]
  expect(others).toEqual([])
  expect(`${field} ${messages.join()}`).toBe(message)
})

const DIMENSIONS = ['campaign', 'goal', 'prop_key', 'prop_value', 'plan', '', 'Path', '__proto__', 'path%00x']
const LAST_MONTHS = 'from=2026-01-01&to=2026-04-11'

/** Parameters whose values a read refuses, and queries that have a wrong one. */
test.each<[read: string, field: string, ...queries: string[]]>([
  ...['breakdown', 'filter-values'].map((read): [string, string, ...string[]] => {
    return [read, 'dimension', ...DIMENSIONS.map(dimension => `dimension=${dimension}`)]
  }),
  ['breakdown', 'dimension', 'dimension=hour'],
  ['breakdown?dimension=path', 'sort', 'sort=best', 'sort=conversion_rate'],
  ['breakdown', 'sort', ...['exit_path', 'source'].map(of => `dimension=${of}&sort=time_on_page_seconds`)],
  ['breakdown?dimension=path', 'order', 'order=up'],
  ['breakdown?dimension=path', 'search', 'search=', `search=${'x'.repeat(256)}`],
  ['breakdown?dimension=path', 'compare_from', 'compare=custom&compare_to=2026-03-09'],
  [
    'breakdown?dimension=path',
    'conversion_goal',
    ...['signup', randomUUID()].map(id => `conversion_goal=${id}`),
  ],
  [
    'filter-values?dimension=path',
    'limit',
    ...'0 1001 -1 1.5 abc 1e2'.split(' ').map(of => `limit=${of}`),
    'limit=',
  ],
  [
    'timeseries',
    'metric',
    ...['visitor', '', 'kpi', 'conversion_rate', '__proto__', 'VISITORS'].map(of => `metric=${of}`),
  ],
  ['page-titles/timeseries', 'title', '', `title=${'x'.repeat(2_049)}`],
  [
    'events/property-breakdown',
    'event_type',
    ...['', 'event_type=pageview&', 'event_type=engagement&'].map(of => `${of}event_name=x`),
  ],
  ['events/property-breakdown?event_type=event', 'event_name', '', `event_name=${'x'.repeat(256)}`],
  ['scroll', 'path', 'path=', `path=/${'a'.repeat(2_048)}`],
  ['scroll?path=/a', 'to', 'from=2026-03-10'],
  ['clicks', 'types', 'types=pageview', 'types=button,', 'types=', 'types[a]=button'],
  ['clicks', 'types', `types=${'button,'.repeat(40)}button`],
  ['clicks', 'page', 'page=0'],
  ['clicks', 'path', 'path[near]=/'],
  ['clicks', 'path.matches_regex', 'path[matches_regex]=('],
  ['journeys', 'starting_at', 'by=path', 'starting_at=', `starting_at=${'a'.repeat(2_049)}`],
  ['journeys?starting_at=/', 'ending_at', 'ending_at=/'],
  ['journeys?starting_at=/', 'by', 'by=country'],
  ['retention', 'cohort', 'cohort=country'],
  ['retention?cohort=goal', 'cohort_goal', '', 'cohort_goal=1', `cohort_goal=${randomUUID()}`],
  ['retention', 'cohort_goal', `cohort_goal=${randomUUID()}`],
  ['retention', 'measure', 'measure=mrr', 'cohort=payment&measure=visitors'],
  ['retention', 'period', 'period=year', `period=day&${LAST_MONTHS}`, `period=month&${CENTURIES}`],
])('refused values: %s names %s', async (read, field, ...queries) => {
  for (const query of queries) {
    const answer = await stats.ask(`${site.path}/stats/${read}${read.includes('?') ? '&' : '?'}${query}`)
    expectError(answer, 422, 'validation_failed')
    expect(Object.keys(answer.json.errors), query).toEqual([field])
  }
})

test('refused values: the goal of another site is no goal', async () => {
  const goal = await stats.goal(await stats.site(), { match_type: 'event', match_value: 'signup' })
  const answer = await stats.ask(`${site.path}/stats/breakdown?dimension=path&conversion_goal=${goal}`)
  expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, ['conversion_goal']])
})
