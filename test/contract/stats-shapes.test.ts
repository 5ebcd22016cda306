import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CAI,
  DAY,
  dayOfHits,
  MESSAGE,
  type Stats,
  type StatsSite,
  startStats,
  THAT_DAY,
} from './stats-site.ts'

let stats: Stats
let site: StatsSite
let fingerprint: string
let signupGoal: string
let pricingGoal: string
const read = (path: string) => stats.read(site, path)

const HOURS = Array.from({ length: 24 }, (_, hour) => `${DAY}T${String(hour).padStart(2, '0')}:00:00+00:00`)
/** Zeros for the hours of the day, but for these. */
const hourly = (counts: Record<number, number>) => HOURS.map((_, hour) => counts[hour] ?? 0)

beforeAll(async () => {
  stats = await startStats()
  site = await stats.site()
  signupGoal = await stats.goal(site, { match_type: 'event', match_value: 'signup', currency: 'USD' })
  pricingGoal = await stats.goal(site, { match_type: 'page', match_value: '/pricing' })
  await stats.store(dayOfHits(site))
  fingerprint = (await read(`/stats/errors?${THAT_DAY}`)).data[0].id
})
afterAll(() => stats.close())

describe('page titles', () => {
  test('rows are sorted by sessions and have exactly these fields', async () => {
    const { data, meta } = await read(`/stats/page-titles?${THAT_DAY}`)
    expect(meta).toEqual({ current_page: 1, per_page: 25, total: 2, last_page: 1 })
    expect(data).toEqual([
      {
        title: 'Home',
        path: '/home',
        hostname: 'example.com',
        pageviews: 3,
        sessions: 4,
        bounce_rate: 50,
        time_on_page_seconds: null,
        sessions_previous: 1,
        sessions_change_pct: 300,
      },
      {
        title: 'Pricing',
        path: '/pricing',
        hostname: 'example.com',
        pageviews: 1,
        sessions: 1,
        bounce_rate: 0,
        time_on_page_seconds: 5,
        sessions_previous: 0,
        sessions_change_pct: null,
      },
    ])
  })

  test('the timeseries counts the sessions that saw the title', async () => {
    expect(await read(`/stats/page-titles/timeseries?${THAT_DAY}&title=Home`)).toEqual({
      labels: HOURS,
      values: hourly({ 9: 1, 10: 1, 11: 1, 12: 1 }),
      group: 'hour',
    })
    const { values } = await read(`/stats/page-titles/timeseries?${THAT_DAY}&title=Hom`)
    expect(values).toEqual(hourly({}))
    const long = await stats.ask(`${site.path}/stats/page-titles/timeseries?title=${'x'.repeat(2049)}`)
    expect(long.status).toBe(422)
    expect((await stats.ask(`${site.path}/stats/page-titles/timeseries`)).status).toBe(422)
    await read(`/stats/page-titles/timeseries?title=${'x'.repeat(2048)}`)
  })
})

test('filter values: they are sorted by count, and their own filter is not applied', async () => {
  const of = (query: string) => read(`/stats/filter-values?${THAT_DAY}&${query}`)
  const home = { value: '/home', label: '/home' }
  const pricing = { value: '/pricing', label: '/pricing' }
  const out = { value: '/out', label: '/out' }
  expect(await of('dimension=path')).toEqual({ values: [home, pricing, out] })
  expect(await of('dimension=path&path=/out')).toEqual({ values: [home, pricing, out] })
  expect(await of('dimension=path&limit=1')).toEqual({ values: [home] })
  expect(await of('dimension=path&country=DE')).toEqual({ values: [pricing, home] })
  expect(await of('dimension=country')).toEqual({ values: [{ value: 'DE', label: 'DE' }] })
  expect(await of('dimension=user_id')).toEqual({ values: [{ value: 'user-1', label: 'user-1' }] })
  expect(await of('dimension=visit_count')).toEqual({
    values: ['1', '2'].map(value => ({ value, label: value })),
  })
  expect(await of('dimension=city')).toEqual({ values: [] })
})

test('errors: list, group, occurrences and timeseries have exactly these fields', async () => {
  const group = {
    id: fingerprint,
    message: MESSAGE,
    error_name: 'TypeError',
    occurrences: 2,
    sessions: 2,
    visitors: 2,
  }
  const { data, meta } = await read(`/stats/errors?${THAT_DAY}`)
  expect(meta).toEqual({ current_page: 1, per_page: 20, total: 2, last_page: 1 })
  expect(data).toEqual([
    group,
    {
      id: expect.any(String),
      message: 'other',
      error_name: 'Error',
      occurrences: 1,
      sessions: 1,
      visitors: 1,
    },
  ])
  expect(await read(`/stats/errors/${fingerprint}?${THAT_DAY}`)).toEqual(group)
  expect(await read(`/stats/errors/${fingerprint}/timeseries?${THAT_DAY}`)).toEqual({
    labels: HOURS,
    types: ['error'],
    series: { error: hourly({ 11: 1, 12: 1 }) },
    group: 'hour',
  })
  const occurrences = await read(`/stats/errors/${fingerprint}/events?${THAT_DAY}`)
  expect(occurrences.meta).toEqual({ current_page: 1, per_page: 20, total: 2, last_page: 1 })
  expect(occurrences.data[0].timestamp).toBe(`${DAY}T12:01:00.000Z`)
  expect(occurrences.data[1]).toEqual({
    event_name: 'TypeError',
    timestamp: `${DAY}T11:01:00.000Z`,
    path: '/home',
    url: 'https://example.com/home',
    title: 'Home',
    hostname: 'example.com',
    user_id: '',
    visitor_id: CAI,
    session_id: expect.stringMatching(/^[0-9a-z]+-[0-9a-z]+$/),
    display_name: expect.any(String),
    avatar_url: expect.stringContaining(`/avatars/${CAI}.svg`),
    country: '',
    device: 'desktop',
    browser: '',
    os: '',
    message: MESSAGE,
    stack: 'at f',
    file_name: 'a.js',
    line_number: '10',
    column_number: '5',
  })
})

test('reported revenue: only the goal report has it', async () => {
  expect(await read(`/stats/goals?${THAT_DAY}`)).toEqual([
    {
      id: signupGoal,
      display_name: 'signup',
      conversions: 1,
      visitors: 1,
      conversion_rate: 33.3,
      revenue: 4999,
      currency: 'USD',
    },
    expect.objectContaining({
      id: pricingGoal,
      display_name: 'Visit /pricing',
      conversions: 1,
      currency: null,
    }),
  ])
  const elsewhere = await Promise.all([
    read(`/overview?${THAT_DAY}`),
    read(`/stats/breakdown?dimension=path&${THAT_DAY}`),
    read(`/stats/timeseries?metric=revenue&${THAT_DAY}`),
    read(`/stats/events?${THAT_DAY}`),
  ])
  expect(JSON.stringify(elsewhere)).not.toMatch(/4999|49\.99/)
  expect(elsewhere[0]).not.toHaveProperty('revenue')
})

test('breakdown: values are sorted by visitors, and the empty value is (none)', async () => {
  const { data, meta } = await read(`/stats/breakdown?dimension=country&${THAT_DAY}`)
  expect(meta).toEqual({ current_page: 1, per_page: 25, total: 2, last_page: 1 })
  expect(data).toEqual([
    {
      ...{
        value: '(none)',
        visitors: 2,
        sessions: 3,
        pageviews: 2,
        views_per_visit: 0.67,
        bounce_rate: 66.67,
      },
      ...{ avg_session_seconds: 60, revenue: 0, mrr: 0, revenue_per_visitor: 0 },
    },
    {
      ...{ value: 'DE', visitors: 1, sessions: 1, pageviews: 2, views_per_visit: 2, bounce_rate: 0 },
      ...{ avg_session_seconds: 120.12, revenue: 0, mrr: 0, revenue_per_visitor: 0 },
    },
  ])
})

test.each<[string, Record<number, number>, number[]]>([
  ['visitors', { 9: 1, 10: 1, 11: 1, 12: 1 }, [9]],
  ['pageviews', { 9: 2, 10: 1, 12: 1 }, [9]],
  ['sessions', { 9: 1, 10: 1, 11: 1, 12: 1 }, [9]],
  ['custom_events', { 9: 1 }, []],
  ['views_per_visit', { 9: 2, 10: 1, 12: 1 }, [9]],
  ['revenue', {}, []],
  ['mrr', {}, []],
])('timeseries: %s has the day before as previous', async (metric, counts, before) => {
  expect(await read(`/stats/timeseries?metric=${metric}&${THAT_DAY}`)).toEqual({
    labels: HOURS,
    values: hourly(counts),
    previous: hourly(Object.fromEntries(before.map(hour => [hour, 1]))),
    group: 'hour',
  })
})

test.each<[string, object]>([
  // The pageview and the event of that page, in a session that has another pageview.
  [
    'path=/pricing',
    { pageviews: 1, visitors: 1, sessions: 1, custom_events: 1, bounce_rate: 0, views_per_visit: 1 },
  ],
  [
    'path=/home',
    { pageviews: 3, visitors: 3, sessions: 4, custom_events: 0, bounce_rate: 50, views_per_visit: 0.75 },
  ],
  ['event_name=signup', { pageviews: 0, visitors: 1, sessions: 1, custom_events: 1, views_per_visit: 0 }],
  [
    'user_id=user-1',
    { pageviews: 2, visitors: 1, sessions: 1, custom_events: 1, avg_session_seconds: 120.12 },
  ],
  ['visit_count=2', { pageviews: 3, visitors: 2, sessions: 2, bounce_rate: 50, avg_session_seconds: 120.06 }],
  ['path=/nowhere', { pageviews: 0, visitors: 0, sessions: 0, bounce_rate: 0, views_per_visit: 0 }],
])('overview: the filter %s applies and keeps all fields', async (filter, expected) => {
  const overview = await read(`/overview?${THAT_DAY}&${filter}`)
  expect(overview).toMatchObject(expected)
  expect(Object.keys(overview).sort()).toEqual(Object.keys(await read(`/overview?${THAT_DAY}`)).sort())
})
