import { describe, expect, test } from 'vitest'
import type { SentHit } from './recount.ts'
import { type BreakdownOptions, recountBreakdown, recountFilterValues } from './recount-breakdown.ts'
import { bucketsOf, labelsOf, recountGroup } from './recount-buckets.ts'
import { conversionsOf, type RecountGoal } from './recount-conversions.ts'
import { errorFingerprint, recountError, recountErrorSeries, recountErrors } from './recount-errors.ts'
import type { Filters } from './recount-filters.ts'
import { recountGoals } from './recount-goals.ts'
import { recountLog, recountProperties } from './recount-log.ts'
import { keptOf, recountFilteredOverview } from './recount-metrics.ts'
import { recountMetricSeries } from './recount-timeseries.ts'
import { recountTitleSeries, recountTitles } from './recount-titles.ts'
import { type Operator, passes } from './recount-values.ts'
import { engage, event, identify, nextDay, thatDay, view, worldWith } from './sent-hits.ts'

const [v2, v3, v4] = [{ visitor: 'v2' }, { visitor: 'v3' }, { visitor: 'v4' }]

/** Which of the hits these are, by their place in the list. */
const placesOf = (hits: SentHit[], found: { id: string }[]) =>
  [...hits.keys()].filter(place => found.some(({ id }) => id === hits[place]!.id))

/** Values of buckets that are not 0, by the number of the bucket. */
const filled = (values: number[] = []) =>
  values.flatMap((value, bucket) => (value === 0 ? [] : [`${bucket}:${value}`])).join(' ')

test.each<[Operator, string, string[], boolean]>([
  ['is', 'b', ['a', 'b'], true],
  ['is', 'b', ['B', '(none)'], false],
  ['is', '', ['a', '(none)'], true],
  ['is_not', 'b', ['a', 'b'], false],
  ['is_not', '', ['a'], true],
  ['is_not', '', ['a', '(none)'], false],
  ['contains', '/a%b', ['%'], true],
  ['contains', '/ab', ['%'], false],
  ['contains', 'aXb', ['a_b'], false],
  ['contains', 'a (none)', ['(none)'], true],
  ['contains', '', ['(none)'], false],
  ['does_not_contain', 'xb', ['a', 'b'], false],
  ['does_not_contain', 'aXb', ['a_b', '\\'], true],
  ['starts_with', '/docs/x', ['/docs'], true],
  ['starts_with', 'x/docs', ['/docs'], false],
  ['ends_with', '/docs/x', ['/x'], true],
  ['ends_with', 'x', ['xx'], false],
  ['matches_pattern', '/docs/x', ['/docs/*'], true],
  ['matches_pattern', '/docs/x/y', ['/docs/*', '/*/y'], false],
  ['matches_pattern', '/docs/x/y', ['/docs/**'], true],
  ['matches_pattern', '/docs/', ['/docs/*'], true],
  ['matches_pattern', '/docs.x', ['/docs?x', 'docs.x'], false],
  ['matches_pattern', 'aab', ['*ab'], true],
  ['matches_regex', '/docs/x', ['cs/'], true],
  ['matches_regex', '/docs/x', ['^cs/'], false],
])('recounted filters, %s: %j against %j is %s', (operator, value, wanted, expected) => {
  expect(passes(operator, value, wanted)).toBe(expected)
})

describe('recounted filters', () => {
  /** v1 has two pageviews and an event in one session, v2 one pageview in each of two. */
  const visits = [
    view(0, '/', {
      title: 'Home',
      hostname: 'docs.example.com',
      dims: { country: 'DE', utm_campaign: 'Spring' },
    }),
    view(2, '/pricing', { title: 'Pricing', dims: { country: 'US' } }),
    event(3, 'signup', { path: '/pricing', props: { plan: 'pro', empty: '' } }),
    view(0, '/', { ...v2, title: 'Home', dims: { country: 'US' } }),
    view(60, '/pricing', { ...v2, props: { plan: 'free', tier: 'pro' } }),
  ]

  test.each<[string, Filters, number[]]>([
    ['all without a filter', {}, [0, 1, 2, 3, 4]],
    ['by path, events too', { path: { is: ['/pricing'] } }, [1, 2, 4]],
    ['by either value', { path: { is: ['/pricing', '/'] } }, [0, 1, 2, 3, 4]],
    ['by both dimensions of the same hit', { path: { is: ['/pricing'] }, title: { is: ['Home'] } }, []],
    ['by two operators at once', { path: { contains: ['p'], does_not_contain: ['x', 'y'] } }, [1, 2, 4]],
    ['by an empty title', { title: { is: ['(none)'] } }, [2, 4]],
    ['by a title that is not empty', { title: { is_not: ['(none)', 'Home'] } }, [1]],
    ['by the name of the event', { event_name: { is: ['signup'] } }, [2]],
    ['pageviews by no name of an event', { event_name: { is: ['(none)'] } }, [0, 1, 3, 4]],
    ['by host name, example.com when none was sent', { hostname: { is: ['example.com'] } }, [1, 2, 3, 4]],
    ['by a property', { prop_key: { is: ['plan'] } }, [2, 4]],
    ['by an empty property', { prop_key: { is: ['empty'] } }, [2]],
    ['by no property', { prop_key: { is: ['(none)'] } }, [0, 1, 3]],
    ['by any property', { prop_key: { is_not: ['(none)'] } }, [2, 4]],
    ['by the lack of a property', { prop_key: { is_not: ['tier'] } }, [0, 1, 2, 3]],
    ['by the value of that property', { prop_key: { is: ['plan'] }, prop_value: { is: ['pro'] } }, [2]],
    ['by the empty value', { prop_key: { is: ['plan', 'empty'] }, prop_value: { is: ['(none)'] } }, [2]],
    ['by another value', { prop_key: { is: ['plan'] }, prop_value: { is_not: ['pro'] } }, [4]],
    ['by country of the opening hit', { country: { is: ['DE'] } }, [0, 1, 2]],
    ['by country that is unknown', { country: { is: ['(none)'] } }, [4]],
    ['by entry page', { entry_path: { is: ['/'] } }, [0, 1, 2, 3]],
    ['by visit', { visit_count: { is: ['2'] } }, [4]],
    ['by campaign', { campaign: { is: ['Spring'] } }, [0, 1, 2]],
    ['by a hit of a session that is kept', { country: { is: ['US'] }, path: { is: ['/'] } }, [3]],
  ])('%s', (_name, filters, places) => {
    const { hits } = keptOf(worldWith(visits), { ...thatDay, filters })
    expect(placesOf(visits, hits)).toEqual(places)
  })

  test('the overview counts hits that match, and whole sessions that have one in the range', () => {
    const filters = { path: { is: ['/pricing'] } }
    const world = worldWith([...visits, engage(12, '/pricing')])
    expect(recountFilteredOverview(world, { ...thatDay, filters })).toEqual({
      pageviews: 2,
      visitors: 2,
      sessions: 2,
      views_per_visit: 1,
      // v2's second visit; v1 has two pageviews, of which one matches
      bounce_rate: 50,
      // 12 minutes and nothing
      avg_session_seconds: 360,
      custom_events: 1,
      days: 1,
      previous: expect.objectContaining({ pageviews: 0, sessions: 0 }),
    })
    // Midnight is 720 minutes after noon.
    const overMidnight = worldWith([view(710, '/'), view(730, '/pricing')])
    const sessionsOf = (range: typeof thatDay) =>
      recountFilteredOverview(overMidnight, { ...range, filters }).sessions
    expect([thatDay, nextDay, { ...thatDay, to: nextDay.to }].map(sessionsOf)).toEqual([0, 0, 1])
  })
})

const page: RecountGoal = {
  id: 'a',
  display_name: 'Goal',
  type: 'page',
  match_value: '/',
  match_operator: 'is',
  scroll_threshold: -1,
  currency: null,
  custom_props: {},
}

describe('recounted goals', () => {
  const plan = { plan: 'pro' }
  const hits = [
    view(0, '/docs/a'),
    event(1, 'signup', { path: '/docs/a', props: { plan: 'pro', tier: 'x' } }),
    event(2, 'signup', { props: { plan: 'free' } }),
    event(3, 'outbound', { props: { selector: '#buy' } }),
    event(4, 'outbound'),
    event(5, 'button', { props: { selector: '#buy' } }),
    view(6),
    engage(7, '/', { scroll: 20 }),
    engage(8, '/', { scroll: 50 }),
    engage(9, '/', { scroll: 10 }),
  ]
  test.each<[string, Partial<RecountGoal>, number[]]>([
    ['a page, pageviews only', { match_value: '/docs/*', match_operator: 'matches_pattern' }, [0]],
    ['a page that is not', { match_value: '/docs/a', match_operator: 'is_not' }, [6]],
    ['an event', { type: 'event', match_value: 'signup' }, [1, 2]],
    ['an event with a property', { type: 'event', match_value: 'signup', custom_props: plan }, [1]],
    ['not autocapture as an event', { type: 'event', match_value: 'outbound' }, []],
    ['autocapture', { type: 'outbound', match_value: null }, [3, 4]],
    ['by selector', { type: 'outbound', match_value: '#buy' }, [3]],
    ['without that selector', { type: 'outbound', match_value: '#buy', match_operator: 'is_not' }, [4]],
    [
      'a scroll of 0, without engagement too',
      { type: 'scroll', match_value: null, scroll_threshold: 0 },
      [0, 6],
    ],
    ['a scroll that was reached', { type: 'scroll', scroll_threshold: 50 }, [6]],
    ['a scroll that was not', { type: 'scroll', scroll_threshold: 51 }, []],
  ])('%s', (_name, more, places) => {
    expect(placesOf(hits, conversionsOf(worldWith(hits), { ...page, ...more }))).toEqual(places)
  })

  const signup: RecountGoal = {
    ...page,
    id: 'b',
    display_name: 'b',
    type: 'event',
    match_value: 'signup',
    currency: 'USD',
  }
  const usd = (amountMinor: number) => ({ revenue: { amountMinor, currency: 'USD' } })
  const world = worldWith([
    view(0),
    event(1, 'signup', usd(500)),
    event(2, 'signup', usd(250)),
    event(3, 'signup', { revenue: { amountMinor: 9, currency: 'EUR' } }),
    view(0, '/pricing', v2),
    view(0, '/pricing', v3),
    event(730, 'signup', { ...v3, ...usd(1) }),
  ])

  test('the report counts conversions of sessions that match, their visitors and reported revenue', () => {
    const home = { ...page, id: 'c', display_name: 'A' }
    const one = { visitors: 1, conversion_rate: 33.3 }
    const ofSignup = { id: 'b', display_name: 'b', conversions: 3, ...one, revenue: 750, currency: 'USD' }
    expect(recountGoals(world, [signup, home], thatDay)).toEqual([
      { id: 'c', display_name: 'A', conversions: 1, ...one, revenue: 0, currency: null },
      ofSignup,
    ])
    const rows = (path: string) =>
      recountGoals(world, [signup], { ...thatDay, filters: { path: { is: [path] } } })
    expect(rows('/')).toEqual([{ ...ofSignup, conversion_rate: 100 }])
    expect(rows('/pricing')).toMatchObject([{ conversions: 0, visitors: 0, conversion_rate: 0, revenue: 0 }])
  })

  test('the filter keeps sessions that convert either goal in the range; the rate is of what the others keep', () => {
    const overview = (filters: Filters, range = thatDay) =>
      recountFilteredOverview(world, { ...range, filters })
    const kept = { visitors: 1, conversion_rate: 33.3 }
    const both = { pageviews: 1, sessions: 1, ...kept }
    expect(overview({ goal: [signup] })).toMatchObject({ ...both, previous: { conversion_rate: 0 } })
    const after = { pageviews: 0, sessions: 1, visitors: 1, conversion_rate: 100, previous: kept }
    expect(overview({ goal: [signup] }, nextDay)).toMatchObject(after)
    expect(overview({ goal: [signup], path: { is: ['/pricing', '/'] } })).toMatchObject({
      ...kept,
      custom_events: 0,
    })
    expect(overview({ goal: [signup], path: { is: ['/pricing'] } }).conversion_rate).toBe(0)
    expect(overview({ goal: [signup, { ...page, match_value: '/pricing' }] }).visitors).toBe(3)
  })
})

describe('recounted breakdown', () => {
  const world = worldWith([
    view(0, '/', { title: 'Home', dims: { country: 'DE' } }),
    view(1, '/pricing', { dims: { country: 'US' } }),
    view(2, '/pricing'),
    event(3, 'signup'),
    view(0, '/', { ...v2, dims: { country: 'US' } }),
    // Midnight was 720 minutes before noon: this session started the day before.
    view(-725, '/late', { ...v3, dims: { country: 'US' } }),
    view(-715, '/late', v3),
    view(0, '/', v4),
  ])
  const rowsOf = (dimension: 'country' | 'path' | 'title', filters: Filters = {}, of = world) =>
    recountBreakdown(of, dimension, { ...thatDay, filters }).map(
      ({ value, visitors, sessions, pageviews, bounce_rate }) =>
        `${value}: ${[visitors, sessions, pageviews, bounce_rate].join(' ')}`,
    )

  test('of a session dimension counts hits of sessions with the value, of a hit dimension hits and sessions that have one', () => {
    expect(rowsOf('country')).toEqual(['US: 2 1 2 100', '(none): 1 1 1 100', 'DE: 1 1 3 0'])
    expect(rowsOf('path')).toEqual([
      '/: 3 3 3 66.67',
      '(none): 1 1 0 0',
      '/pricing: 1 1 2 0',
      '/late: 1 0 1 0',
    ])
    const filters = { path: { is: ['/pricing'] } }
    expect(rowsOf('path', filters)).toEqual(['/pricing: 1 1 2 0'])
    expect(rowsOf('title', filters)).toEqual(['(none): 1 1 2 0'])
    const overMidnight = worldWith([view(710, '/'), view(730, '/later')])
    expect(rowsOf('path', {}, overMidnight)).toContain('/later: 0 1 0 0')
  })

  test('sorts by any column, ties by visitors, then by value, and rows without it last', () => {
    const scrolled = worldWith([
      view(0, '/a'),
      engage(1, '/a', { scroll: 40, engagedMs: 1_000 }),
      engage(2, '/a', { scroll: 80, engagedMs: 500 }),
      view(3, '/b'),
      engage(4, '/b', { engagedMs: 3_000 }),
      view(0, '/c', v2),
      view(0, '/d', v3),
      view(1, '/d', v4),
    ])
    const valuesBy = (options: BreakdownOptions) =>
      recountBreakdown(scrolled, 'path', thatDay, undefined, options).map(({ value }) => value)
    expect(valuesBy({ sort: 'scroll_depth' })).toEqual(['/a', '/d', '/b', '/c'])
    expect(valuesBy({ sort: 'time_on_page_seconds', order: 'asc' })).toEqual(['/a', '/b', '/d', '/c'])
    expect(valuesBy({ sort: 'value', order: 'desc' })).toEqual(['/d', '/c', '/b', '/a'])
    expect(valuesBy({ sort: 'visitors', order: 'asc' })).toEqual(['/a', '/b', '/c', '/d'])
    const engaged = { value: '/a', time_on_page_seconds: 1.5, scroll_depth: 80 }
    expect(recountBreakdown(scrolled, 'path', thatDay)[1]).toMatchObject(engaged)
  })

  test('filter values rank by hits or sessions, then by value, and ignore the filter of their own dimension', () => {
    expect(recountFilterValues(world, 'path', thatDay)).toEqual(['/', '/pricing', '/late'])
    expect(recountFilterValues(world, 'country', thatDay)).toEqual(['DE', 'US'])
    const filters = { path: { is: ['/pricing'] }, country: { is: ['DE'] } }
    expect(recountFilterValues(world, 'path', { ...thatDay, filters })).toEqual(['/pricing', '/'])
    expect(recountFilterValues(world, 'title', { ...thatDay, filters })).toEqual([])
  })
})

test('recounted errors are grouped by message and named after the newest occurrence', () => {
  const siteId = '0b5ce2b1-6f0e-4a3c-9d0f-1a2b3c4d5e6f'
  const message = 'x is not a function'
  // Midnight is 720 minutes after noon.
  const world = worldWith([
    view(0),
    event(1, 'error', { errorMessage: message }),
    event(2, 'error', { errorName: 'TypeError', errorMessage: message }),
    event(3, 'error', { ...v2, errorName: 'RangeError' }),
    view(710),
    event(725, 'error', { errorName: 'TypeError', errorMessage: message }),
  ])
  const once = { occurrences: 1, sessions: 1, visitors: 1 }
  const id = errorFingerprint(siteId, message)
  expect(recountErrors(world, siteId, thatDay)).toEqual([
    // The error of the second session comes after midnight.
    { id, message, error_name: 'TypeError', occurrences: 2, sessions: 2, visitors: 1 },
    { id: errorFingerprint(siteId, 'RangeError'), message: 'RangeError', error_name: 'RangeError', ...once },
  ])
  expect(recountError(world, siteId, 'RangeError', nextDay)).toMatchObject({ occurrences: 0, sessions: 0 })
  expect(filled(recountErrorSeries(world, message, thatDay).series.error)).toBe('12:2')
})

test('the recounted event log is ordered by time and id, newest first, with what the session has', () => {
  const of = { title: 'Docs', dims: { country: 'DE', size: 'mobile' }, props: { a: '1' } }
  const hits = [
    view(0, '/docs', of),
    event(5, 'signup', { dims: { country: 'US' } }),
    event(5, 'outbound'),
    engage(6, '/docs'),
    identify(7, 'ada'),
    event(8, 'payment'),
  ]
  const log = recountLog(worldWith(hits), [], thatDay)
  expect(log.map(({ id }) => id)).toEqual([hits[2]!.id, hits[1]!.id, hits[0]!.id])
  expect(log.at(-1)).toMatchObject({
    event_type: 'pageview',
    event_name: '',
    timestamp: '2025-06-10T12:00:00.000Z',
    url: 'https://example.com/docs',
    title: 'Docs',
    user_id: 'ada',
    device: 'mobile',
    properties: { a: '1' },
  })
})

test('recounted properties are ranked by visitors, then key, then value', () => {
  const world = worldWith([
    event(0, 'signup', { props: { plan: 'pro', a: '' } }),
    event(1, 'signup', { props: { plan: 'pro' } }),
    event(2, 'signup', { ...v2, props: { plan: 'free' } }),
    event(3, 'signup', { props: { plan: 'free' } }),
    event(4, 'Signup', { props: { other: 'x' } }),
    event(5, 'outbound', { ...v3, props: { plan: 'pro' } }),
  ])
  expect(recountProperties(world, 'event', 'signup', thatDay)).toEqual([
    { key: 'plan', value: 'free', visitors: 2 },
    { key: 'a', value: '', visitors: 1 },
    { key: 'plan', value: 'pro', visitors: 1 },
  ])
})

describe('recounted buckets', () => {
  test.each([
    ['2025-06-10', '2025-06-11', undefined, 'hour'],
    ['2025-06-10', '2025-06-12', undefined, 'day'],
    ['2025-01-01', '2025-04-02', undefined, 'day'],
    ['2025-01-01', '2025-04-03', undefined, 'week'],
    ['2024-01-01', '2024-12-31', undefined, 'week'],
    ['2024-01-01', '2025-01-01', undefined, 'month'],
    ['2024-07-01', '2025-06-10', 'last_12_months', 'month'],
  ])('%s to %s (%s) are grouped by %s', (from, to, range, group) => {
    expect(recountGroup(from, to, range)).toBe(group)
  })

  const afterTwo = '2025-03-30T03:00:00+02:00'
  test.each([
    ['a skipped hour', 'Europe/Berlin', '2025-03-30', '2025-03-30', 23, 2, afterTwo],
    ['a doubled hour', 'Europe/Berlin', '2025-10-26', '2025-10-26', 25, 3, '2025-10-26T02:00:00+01:00'],
    ['the second week', 'UTC', '2025-01-01', '2025-04-03', 14, 1, '2025-01-06T00:00:00+00:00'],
    ['the first month', 'Asia/Kathmandu', '2024-01-15', '2025-02-01', 14, 0, '2024-01-15T00:00:00+05:45'],
  ])('labels: %s in %s', (_name, zone, from, to, count, place, label) => {
    const labels = labelsOf(zone, bucketsOf(zone, { from, to }, recountGroup(from, to)))
    expect(labels).toHaveLength(count)
    expect(labels[place]).toBe(label)
  })

  test('count hits by their time and sessions by their start', () => {
    const world = worldWith([
      view(0),
      view(30),
      view(65, '/', v2),
      view(715),
      view(725, '/pricing'),
      view(1440 + 30),
    ])
    const [pageviews, sessions] = (['pageviews', 'sessions'] as const).map(metric => {
      const { values, previous } = recountMetricSeries(world, metric, nextDay)
      return [filled(values), filled(previous)]
    })
    expect(pageviews).toEqual(['0:1 12:1', '12:2 13:1 23:1'])
    expect(sessions).toEqual(['12:1', '12:1 13:1 23:1'])
    const ofDay = (['bounce_rate', 'views_per_visit', 'avg_session_seconds'] as const).map(metric =>
      filled(recountMetricSeries(world, metric, thatDay).values),
    )
    expect(ofDay).toEqual(['13:100', '12:2 13:1 23:1', '12:1800 23:600'])
    const later = { from: thatDay.from, to: nextDay.to, filters: { path: { is: ['/pricing'] } } }
    expect(filled(recountMetricSeries(world, 'sessions', later).values)).toBe('23:1')
    expect(filled(recountMetricSeries(world, 'visitors', later).values)).toBe('24:1')
  })
})

describe('recounted page titles', () => {
  const [home, docs] = [{ title: 'Home' }, { title: 'Docs' }]

  test('count pageviews, sessions, bounces and the time on them', () => {
    const hits = [
      view(0, '/', home),
      engage(1, '/', { engagedMs: 4_000 }),
      engage(2, '/', { engagedMs: 1_000 }),
      view(3, '/docs', docs),
      engage(4, '/docs', { engagedMs: 60_000 }),
      view(0, '/', { ...home, ...v2 }),
      view(0, '/start', { ...home, ...v3, hostname: 'docs.example.com' }),
      engage(9, '/start', { ...v3, engagedMs: 1 }),
      event(10, 'signup', { ...docs, ...v4, path: '/newest' }),
    ]
    expect(recountTitles(worldWith(hits), thatDay)).toEqual([
      {
        title: 'Home',
        path: '/start',
        hostname: 'docs.example.com',
        pageviews: 3,
        sessions: 3,
        bounce_rate: 66.67,
        // 5,001 ms in the two sessions that have engagement: 2.5005
        time_on_page_seconds: 2.5,
        sessions_previous: 0,
        sessions_change_pct: null,
      },
      expect.objectContaining({ title: 'Docs', path: '/newest', pageviews: 1, sessions: 2, bounce_rate: 0 }),
    ])
  })

  test('rank by sessions, pageviews, title; over time, sessions count where they started', () => {
    const titles = ['b', 'B', 'c', 'c', 'd']
    const hits = titles.map((title, minutes) => view(minutes, '/', { title }))
    const world = worldWith([
      ...hits,
      view(4, '/', { ...v2, title: 'd' }),
      view(200, '/', { ...v3, title: 'd' }),
    ])
    expect(recountTitles(world, thatDay).map(row => row.title)).toEqual(['d', 'c', 'B', 'b'])
    expect(filled(recountTitleSeries(world, 'd', thatDay).values)).toBe('12:2 15:1')
  })
})
