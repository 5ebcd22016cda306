import { expect, test } from 'vitest'
import {
  ADA,
  BEN,
  CAI,
  DAY,
  dayOfHits,
  hit,
  MESSAGE,
  type Stats,
  type StatsSite,
  THAT_DAY,
  useStats,
} from './stats-site.ts'

let site: StatsSite
let fingerprint: string
let signupGoal: string
let pricingGoal: string
const read = (path: string) => stats.read(site, path)

const HOURS = Array.from({ length: 24 }, (_, hour) => `${DAY}T${String(hour).padStart(2, '0')}:00:00+00:00`)
/** Zeros for the hours of the day, but for these. */
const hourly = (counts: Record<number, number>) => HOURS.map((_, hour) => counts[hour] ?? 0)
const SESSION_ID = expect.stringMatching(/^[0-9a-z]+-[0-9a-z]+$/)

const stats = useStats(async () => {
  site = await stats.site()
  signupGoal = await stats.goal(site, { match_type: 'event', match_value: 'signup', currency: 'USD' })
  pricingGoal = await stats.goal(site, { match_type: 'page', match_value: '/pricing' })
  await stats.store(dayOfHits(site))
  fingerprint = (await read(`/stats/errors?${THAT_DAY}`)).data[0].id
})

test('page titles: rows are sorted by sessions and have exactly these fields', async () => {
  const { data, meta } = await read(`/stats/page-titles?${THAT_DAY}`)
  expect(meta).toEqual({ current_page: 1, per_page: 25, total: 2, last_page: 1 })
  expect(data).toEqual([
    {
      ...{ title: 'Home', path: '/home', hostname: 'example.com', pageviews: 3, sessions: 4 },
      ...{ bounce_rate: 50, time_on_page_seconds: null, sessions_previous: 1, sessions_change_pct: 300 },
    },
    {
      ...{ title: 'Pricing', path: '/pricing', hostname: 'example.com', pageviews: 1, sessions: 1 },
      ...{ bounce_rate: 0, time_on_page_seconds: 5, sessions_previous: 0, sessions_change_pct: null },
    },
  ])
})

test('page titles: a title of the timeseries has up to 2,048 characters', async () => {
  const { values } = await read(`/stats/page-titles/timeseries?${THAT_DAY}&title=${'x'.repeat(2048)}`)
  expect(values).toEqual(hourly({}))
})

test('filter values: they are sorted by count, and their own filter is not applied', async () => {
  const [home, pricing, out] = ['/home', '/pricing', '/out']
  for (const [query, expected] of [
    ['dimension=path', [home, pricing, out]],
    ['dimension=path&path=/out', [home, pricing, out]],
    ['dimension=path&limit=1', [home]],
    ['dimension=path&limit=1000', [home, pricing, out]],
    ['dimension=path&country=DE', [pricing, home]],
    ['dimension=country', ['DE']],
    ['dimension=user_id', ['user-1']],
    ['dimension=visit_count', ['1', '2']],
    ['dimension=city', []],
  ] as const) {
    const values = expected.map(value => ({ value, label: value }))
    expect(await read(`/stats/filter-values?${THAT_DAY}&${query}`), query).toEqual({ values })
  }
})

test('errors: list, group, occurrences and timeseries have exactly these fields', async () => {
  const group = {
    ...{ id: fingerprint, message: MESSAGE, error_name: 'TypeError' },
    ...{ occurrences: 2, sessions: 2, visitors: 2 },
    ...{ first_seen: `${DAY}T11:01:00.000Z`, last_seen: `${DAY}T12:01:00.000Z` },
  }
  const other = {
    ...{ message: 'other', error_name: 'Error', occurrences: 1, sessions: 1, visitors: 1 },
    ...{ first_seen: `${DAY}T12:02:00.000Z`, last_seen: `${DAY}T12:02:00.000Z` },
  }
  const { data, meta } = await read(`/stats/errors?${THAT_DAY}`)
  expect(meta).toEqual({ current_page: 1, per_page: 20, total: 2, last_page: 1 })
  expect(data).toEqual([group, { id: expect.any(String), ...other }])
  expect(await read(`/stats/errors/${fingerprint}?${THAT_DAY}`)).toEqual(group)
  // Times are of all time, whatever is asked for.
  const none = { occurrences: 0, sessions: 0, visitors: 0 }
  const elsewhere = await read(`/stats/errors/${fingerprint}?from=2026-01-01&to=2026-01-02&country=FR`)
  expect(elsewhere).toEqual({ ...group, ...none })
  expect(await read(`/stats/errors/${fingerprint}/timeseries?${THAT_DAY}`)).toEqual({
    ...{ labels: HOURS, types: ['error'], series: { error: hourly({ 11: 1, 12: 1 }) }, group: 'hour' },
  })
  const occurrences = await read(`/stats/errors/${fingerprint}/events?${THAT_DAY}`)
  expect(occurrences.meta).toEqual({ current_page: 1, per_page: 20, total: 2, last_page: 1 })
  expect(occurrences.data[0].timestamp).toBe(`${DAY}T12:01:00.000Z`)
  expect(occurrences.data[1]).toEqual({
    ...{ event_name: 'TypeError', timestamp: `${DAY}T11:01:00.000Z`, title: 'Home' },
    ...{ path: '/home', url: 'https://example.com/home', hostname: 'example.com' },
    ...{ user_id: '', visitor_id: CAI, session_id: SESSION_ID, display_name: expect.any(String) },
    avatar_url: expect.stringContaining(`/avatars/${CAI}.svg`),
    ...{ country: '', device: 'desktop', browser: '', os: '' },
    ...{ message: MESSAGE, stack: 'at f', file_name: 'a.js', line_number: '10', column_number: '5' },
  })
})

test('errors: a malformed, foreign or unknown fingerprint gives 404, and either case is accepted', async () => {
  const foreign = await stats.site('UTC', await stats.api.member())
  const boom = hit(foreign, `${DAY}T09:00:00Z`, {
    type: 'error',
    name: 'error',
    error: { message: 'secret' },
  })
  await stats.store([boom])
  const never = 'f1d2d2f9-24e9-5a4c-8a4e-3c0b9d6e7f80'
  const malformed = ['x', `${fingerprint}x`, `${fingerprint}%00`, "'", '__proto__', '0'.repeat(3_000)]
  for (const error of [...malformed, boom.errorId!, never, site.id]) {
    for (const rest of ['', '/timeseries', '/events']) {
      const answer = await stats.ask(`${site.path}/stats/errors/${error}${rest}`)
      expect(answer.status, `${error}${rest}`).toBe(404)
      expect(answer.text).not.toContain('secret')
    }
  }
  const { id, occurrences } = await read(`/stats/errors/${fingerprint.toUpperCase()}?${THAT_DAY}`)
  expect([id.toLowerCase(), occurrences]).toEqual([fingerprint, 2])
})

test('reported revenue: only the goal report has it', async () => {
  const signup = { display_name: 'signup', conversions: 1, visitors: 1, conversion_rate: 33.3 }
  const pricing = { display_name: 'Visit /pricing', conversions: 1, currency: null }
  expect(await read(`/stats/goals?${THAT_DAY}`)).toEqual([
    { id: signupGoal, ...signup, revenue: 4999, currency: 'USD' },
    expect.objectContaining({ id: pricingGoal, ...pricing }),
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

test.each<[string, Record<number, number>, number[]]>([
  ['visitors', { 9: 1, 10: 1, 11: 1, 12: 1 }, [9]],
  ['custom_events', { 9: 1 }, []],
  ['views_per_visit', { 9: 2, 10: 1, 12: 1 }, [9]],
  ['mrr', {}, []],
])('timeseries: %s has the day before as previous', async (metric, counts, before) => {
  const [values, previous] = [counts, Object.fromEntries(before.map(hour => [hour, 1]))].map(hourly)
  const course = await read(`/stats/timeseries?metric=${metric}&${THAT_DAY}`)
  expect(course).toEqual({ labels: HOURS, values, previous, group: 'hour' })
})

test('event log: items have exactly these fields, newest first, without engagement and identify', async () => {
  const { data, meta } = await read(`/stats/events?${THAT_DAY}`)
  expect(meta).toEqual({ current_page: 1, per_page: 50, total: 9, last_page: 1 })
  expect(data.map((item: { timestamp: string }) => item.timestamp)).toEqual(
    ['12:02:00', '12:01:00', '12:00:00', '11:01:00', '11:00:00', '10:00:00']
      .concat(['09:02:00.123', '09:01:00', '09:00:00'])
      .map(time => new Date(`${DAY}T${time}Z`).toISOString()),
  )
  const avatars = `${stats.api.services.config.baseUrl}/avatars`
  expect(data[6]).toEqual({
    ...{ event_type: 'event', event_name: 'signup', timestamp: `${DAY}T09:02:00.123Z`, title: 'Pricing' },
    ...{ path: '/pricing', url: 'https://example.com/pricing', hostname: 'example.com' },
    ...{ user_id: 'user-1', visitor_id: ADA, session_id: SESSION_ID, display_name: 'Ada L.' },
    avatar_url: expect.stringMatching(new RegExp(`^${avatars}/${ADA}/[A-Za-z0-9_-]+$`)),
    ...{ country: 'DE', device: 'desktop', browser: 'Chrome', os: 'macOS' },
    ...{ properties: { plan: 'pro', tier: 'a' }, error_id: null },
  })
  expect(data[8]).toMatchObject({
    ...{ event_type: 'pageview', event_name: '', path: '/home', url: 'https://example.com/home?a=1' },
    properties: { plan: 'pro' },
  })
  // An anonymous visitor has a nickname, and an error its fingerprint.
  expect(data[5]).toMatchObject({
    ...{ user_id: '', visitor_id: BEN, display_name: expect.stringMatching(/./), country: '', browser: '' },
    avatar_url: `${avatars}/${BEN}.svg`,
  })
  expect(data[5].display_name).toBe(data[2].display_name)
  expect(data[3]).toMatchObject({ event_type: 'error', event_name: 'TypeError', error_id: fingerprint })
  expect(data[1].error_id).toBe(fingerprint)
  expect(data[0]).toMatchObject({ event_name: 'Error', error_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(data[4]).toMatchObject({ event_type: 'outbound', event_name: 'outbound', visitor_id: CAI })
  const before = await read('/stats/events?from=2026-03-09&to=2026-03-09')
  expect(before.data[0]).toMatchObject({ visitor_id: ADA, user_id: '' })
})

test('event log: types select items; none that is known selects every type', async () => {
  for (const [types, selected] of [
    ['error', ['error', 'error', 'error']],
    ['outbound,event', ['outbound', 'event']],
    ['event,nonsense,engagement', ['event']],
    ['form', []],
  ] as const) {
    const { data, meta } = await read(`/stats/events?${THAT_DAY}&types=${types}`)
    expect(data.map((item: { event_type: string }) => item.event_type)).toEqual(selected)
    expect(meta.total).toBe(selected.length)
  }
  for (const types of ['', 'nonsense', ',', 'engagement', 'PAGEVIEW']) {
    expect((await read(`/stats/events?${THAT_DAY}&types=${types}`)).meta.total, types).toBe(9)
  }
})

test('event log: the timeseries has the types that occur', async () => {
  const event = hourly({ 9: 1 })
  expect(await read(`/stats/events/timeseries?${THAT_DAY}`)).toEqual({
    labels: HOURS,
    types: ['pageview', 'event', 'outbound', 'error'],
    series: {
      pageview: hourly({ 9: 2, 10: 1, 12: 1 }),
      event,
      outbound: hourly({ 11: 1 }),
      error: hourly({ 11: 1, 12: 2 }),
    },
    group: 'hour',
  })
  const some = await read(`/stats/events/timeseries?${THAT_DAY}&types=event,copy,x`)
  expect(some).toEqual({ labels: HOURS, types: ['event'], series: { event }, group: 'hour' })
})

const of = (query: string, on = site) =>
  stats.read(on, `/stats/events/property-breakdown?${THAT_DAY}&${query}`)

test('property breakdown: values are sorted by visitors', async () => {
  expect(await of('event_type=event&event_name=signup')).toEqual({
    rows: [
      { key: 'plan', value: 'pro', visitors: 1 },
      { key: 'tier', value: 'a', visitors: 1 },
    ],
  })
  const { rows } = await of('event_type=outbound&event_name=outbound')
  expect(rows).toEqual([{ key: 'selector', value: '#buy', visitors: 1 }])
  expect(await of('event_type=event&event_name=nothing')).toEqual({ rows: [] })
  expect(await of('event_type=form&event_name=signup')).toEqual({ rows: [] })
})

test('property breakdown: at most 50 rows, those with most visitors first', async () => {
  const other = await stats.site()
  const props = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'v']))
  const many = (second: number, visitorId: string, given: Record<string, string>) =>
    hit(other, `${DAY}T09:00:0${second}Z`, { type: 'event', name: 'many', visitorId, props: given })
  await stats.store([
    many(0, ADA, props),
    many(1, BEN, { zz: '__proto__', k7: 'v' }),
    many(2, BEN, { zz: '__proto__', constructor: 'v' }),
    many(3, CAI, { zz: '__proto__', k7: 'v' }),
  ])
  const { rows } = await of('event_type=event&event_name=many', other)
  expect(rows).toHaveLength(50)
  expect(rows.slice(0, 3)).toEqual([
    { key: 'k7', value: 'v', visitors: 3 },
    { key: 'zz', value: '__proto__', visitors: 2 },
    { key: 'constructor', value: 'v', visitors: 1 },
  ])
})

const PAIRS: [keyof Stats['client']['stats'], string, Record<string, string | number>][] = [
  ['overview', '/overview', {}],
  ['timeseries', '/stats/timeseries', { metric: 'visitors' }],
  ['breakdown', '/stats/breakdown', { dimension: 'path', per_page: 1, page: 2 }],
  ['breakdown', '/stats/breakdown', { dimension: 'path', search: '/', sort: 'value', compare: 'previous' }],
  ['explain', '/explain', { metric: 'visitors', dimension: 'path', value: '/pricing', limit: 2 }],
  ['goals', '/stats/goals', {}],
  ['events', '/stats/events', { types: 'event,error', per_page: 2 }],
  ['eventsTimeseries', '/stats/events/timeseries', { types: 'error' }],
  ['propertyBreakdown', '/stats/events/property-breakdown', { event_type: 'event', event_name: 'signup' }],
  ['pageTitles', '/stats/page-titles', { per_page: 1 }],
  ['pageTitlesTimeseries', '/stats/page-titles/timeseries', { title: 'Home' }],
  ['filterValues', '/stats/filter-values', { dimension: 'path', limit: 2 }],
  ['errors', '/stats/errors', {}],
  ['error', '/stats/errors/{error}', {}],
  ['errorTimeseries', '/stats/errors/{error}/timeseries', {}],
  ['errorEvents', '/stats/errors/{error}/events', { per_page: 1 }],
  ['clicks', '/stats/clicks', { types: 'outbound,copy', per_page: 1 }],
  ['journeys', '/stats/journeys', { ending_at: '/pricing', steps: 1 }],
]
const FILTERED = { path: ['/home', '/pricing'], country: { is_not: 'AT' } }

test.each(PAIRS)(
  'tRPC: stats.%s gives the same answer as %s, without links',
  async (procedure, path, own) => {
    const parameters = new URLSearchParams(
      Object.entries(own).map(([name, value]) => [name, String(value)] as [string, string]),
    )
    const query = `${THAT_DAY}&${parameters}&path=/home&path=/pricing&country[is_not]=AT`
    const rest = await read(`${path.replace('{error}', fingerprint)}?${query}`)
    if (rest.links) rest.links = { first: null, last: null, prev: null, next: null }
    const of = path.includes('{error}') ? { error: fingerprint } : {}
    const asked = { siteKey: site.id, from: DAY, to: DAY, ...own, ...of, ...FILTERED }
    type Queries = Record<string, { query(input: object): Promise<unknown> }>
    const { query: call } = (stats.client.stats as unknown as Queries)[procedure]!
    expect(await call(asked)).toEqual(rest)
    await expect(call({ ...asked, range: 'x', from: undefined, to: undefined })).rejects.toMatchObject({
      data: { httpStatus: 422, code: 'validation_failed' },
    })
    await expect(call({ ...asked, siteKey: 'nowhere.example' })).rejects.toMatchObject({
      data: { httpStatus: 404, code: 'not_found' },
    })
  },
)
