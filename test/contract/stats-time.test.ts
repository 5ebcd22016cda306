import { beforeAll, describe, expect, test } from 'vitest'
import { ADA, hit, type StatsSite, useStats } from './stats-site.ts'

// Every bucket of every zone, and every preset: test/time/range.test.ts and comparison.test.ts.

const stats = useStats()

/** A site of a zone with a pageview at each of these moments, each of another visitor. */
async function siteWith(zone: string, moments: string[]): Promise<StatsSite> {
  const site = await stats.site(zone)
  await stats.store(moments.map(at => hit(site, at, { title: 'T' })))
  return site
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** Moments of pageviews, and the label of the bucket that each is in; null: outside the range. */
type Placed = [moment: string, label: string | null][]

const COURSES: [zone: string, day: string, buckets: number, hits: Placed][] = [
  [
    'Asia/Kathmandu',
    '2026-03-10',
    24,
    [
      ['2026-03-09T18:14:59.999Z', null],
      ['2026-03-09T18:15:00.000Z', '2026-03-10T00:00:00+05:45'],
      ['2026-03-10T04:14:59.999Z', '2026-03-10T09:00:00+05:45'],
      ['2026-03-10T04:15:00.000Z', '2026-03-10T10:00:00+05:45'],
      ['2026-03-10T18:14:59.999Z', '2026-03-10T23:00:00+05:45'],
      ['2026-03-10T18:15:00.000Z', null],
    ],
  ],
  [
    // 01:00 comes twice.
    'America/New_York',
    '2025-11-02',
    25,
    [
      ['2025-11-02T03:59:59.999Z', null],
      ['2025-11-02T04:00:00.000Z', '2025-11-02T00:00:00-04:00'],
      ['2025-11-02T05:30:00.000Z', '2025-11-02T01:00:00-04:00'],
      ['2025-11-02T06:30:00.000Z', '2025-11-02T01:00:00-05:00'],
      ['2025-11-03T04:59:59.999Z', '2025-11-02T23:00:00-05:00'],
      ['2025-11-03T05:00:00.000Z', null],
    ],
  ],
  [
    // The clocks go back from 02:00 to 01:30: no other hour, but one that lasts 90 minutes.
    'Australia/Lord_Howe',
    '2025-04-06',
    24,
    [
      ['2025-04-05T12:59:59.999Z', null],
      ['2025-04-05T13:00:00.000Z', '2025-04-06T00:00:00+11:00'],
      ['2025-04-05T15:29:59.999Z', '2025-04-06T01:00:00+11:00'],
      ['2025-04-05T15:30:00.000Z', '2025-04-06T02:00:00+10:30'],
      ['2025-04-06T13:30:00.000Z', null],
    ],
  ],
]

test.each(COURSES)(
  'timeseries: %s on %s has %i hours with the right sums',
  async (zone, day, buckets, hits) => {
    const site = await siteWith(
      zone,
      hits.map(([at]) => at),
    )
    const range = `from=${day}&to=${day}`
    const inRange = hits.map(([, label]) => label).filter(label => label !== null)
    const expected = (labels: string[]) => labels.map(label => inRange.filter(one => one === label).length)
    for (const metric of ['pageviews', 'visitors', 'sessions']) {
      const { labels, values, group } = await stats.read(site, `/stats/timeseries?metric=${metric}&${range}`)
      expect([group, labels.length]).toEqual(['hour', buckets])
      expect(labels).toEqual(expect.arrayContaining(inRange))
      expect(values).toEqual(expected(labels))
    }
    const log = await stats.read(site, `/stats/events/timeseries?${range}`)
    expect(log.series.pageview).toEqual(expected(log.labels))
    const titles = await stats.read(site, `/stats/page-titles/timeseries?title=T&${range}`)
    expect(titles.values).toEqual(expected(titles.labels))
    const { pageviews } = await stats.read(site, `/overview?${range}`)
    const { meta } = await stats.read(site, `/stats/events?${range}`)
    expect([pageviews, meta.total]).toEqual([inRange.length, inRange.length])
  },
)

test('ranges: the day that Samoa skipped is a day without hits', async () => {
  // 29 December ended at UTC-10 where 31 December began at UTC+14.
  const site = await siteWith('Pacific/Apia', ['2011-12-30T09:59:59.999Z', '2011-12-30T10:00:00.000Z'])
  for (const [from, to, pageviews, days] of [
    ['2011-12-29', '2011-12-29', 1, 1],
    ['2011-12-30', '2011-12-30', 0, 1],
    ['2011-12-31', '2011-12-31', 1, 1],
    ['2011-12-29', '2011-12-31', 2, 3],
  ]) {
    const range = `from=${from}&to=${to}`
    expect(await stats.read(site, `/overview?${range}`), range).toMatchObject({ pageviews, days })
    const { values } = await stats.read(site, `/stats/timeseries?metric=pageviews&${range}`)
    expect(sum(values), range).toBe(pageviews)
    await stats.read(site, `/stats/events/timeseries?types=&${range}`)
  }
})

test('timeseries: a session counts in the bucket of its start, a pageview in its own', async () => {
  const site = await stats.site('America/New_York')
  await stats.store([
    hit(site, '2026-03-11T03:50:00.000Z', { visitorId: ADA, title: 'T' }),
    hit(site, '2026-03-11T03:59:59.999Z', { visitorId: ADA, title: 'T', url: '/a' }),
    hit(site, '2026-03-11T04:00:00.000Z', { visitorId: ADA, title: 'T', url: '/b' }),
    hit(site, '2026-03-11T04:10:00.000Z', { visitorId: ADA, title: 'T', url: '/c' }),
    hit(site, '2026-03-11T04:11:00.000Z', { visitorId: ADA, type: 'event', name: 'late' }),
  ])
  const of = (day: string) => stats.read(site, `/overview?from=${day}&to=${day}`)
  expect(await of('2026-03-10')).toMatchObject({
    ...{ pageviews: 2, visitors: 1, sessions: 1, custom_events: 0 },
    ...{ views_per_visit: 2, bounce_rate: 0, avg_session_seconds: 1260 },
  })
  expect(await of('2026-03-11')).toMatchObject({
    ...{ pageviews: 2, visitors: 1, sessions: 0, custom_events: 1 },
    ...{ views_per_visit: 0, bounce_rate: 0, avg_session_seconds: 0 },
    previous: { pageviews: 2, sessions: 1 },
  })
  const both = await stats.read(site, '/overview?from=2026-03-10&to=2026-03-11')
  expect(both).toMatchObject({ pageviews: 4, visitors: 1, sessions: 1, views_per_visit: 4 })
  const [before] = (await stats.read(site, '/stats/page-titles?from=2026-03-10&to=2026-03-10')).data
  expect(before).toMatchObject({ title: 'T', pageviews: 2, sessions: 1, bounce_rate: 0 })
  const [after] = (await stats.read(site, '/stats/page-titles?from=2026-03-11&to=2026-03-11')).data
  expect(after).toMatchObject({ title: 'T', pageviews: 2, sessions: 0, sessions_previous: 1 })
  const titles = await stats.read(site, '/stats/page-titles/timeseries?title=T&from=2026-03-10&to=2026-03-11')
  expect(sum(titles.values)).toBe(1)
  expect(titles.values[titles.labels.indexOf('2026-03-10T23:00:00-04:00')]).toBe(1)
})

describe('ranges and comparisons', () => {
  let site: StatsSite
  const overview = (query: string) => stats.read(site, `/overview?${query}`)
  const timeseries = (query: string) => stats.read(site, `/stats/timeseries?metric=pageviews&${query}`)

  beforeAll(async () => {
    site = await siteWith('Europe/Berlin', [
      '2025-03-18T08:00:00Z',
      '2025-03-18T13:00:00Z',
      '2026-03-11T09:00:00Z',
      '2026-03-17T11:59:59.999Z',
      '2026-03-17T12:00:00Z',
      '2026-03-17T12:59:59.999Z',
      '2026-03-17T20:00:00Z',
      '2026-03-18T10:00:00Z',
    ])
  })

  test.each<[string, string, number, string]>([
    ['range=yesterday', 'hour', 24, '2026-03-17T00:00:00+01:00'],
    ['from=2026-03-17&to=2026-03-18', 'hour', 48, '2026-03-17T00:00:00+01:00'],
    ['range=last_7_days', 'day', 7, '2026-03-12T00:00:00+01:00'],
    // Its first event was on a Tuesday: the first week is short.
    ['range=all', 'week', 53, '2025-03-18T00:00:00+01:00'],
    ['range=last_12_months', 'month', 12, '2025-04-01T00:00:00+02:00'],
  ])('ranges: %s is grouped by %s in %i buckets from %s', async (range, group, count, first) => {
    const { pageviews } = await overview(range)
    for (const path of [
      'timeseries?metric=pageviews',
      'page-titles/timeseries?title=T',
      'events/timeseries?',
    ]) {
      const course = await stats.read(site, `/stats/${path}&${range}`)
      expect([course.group, course.labels.length, course.labels[0]]).toEqual([group, count, first])
      expect(sum(course.values ?? course.series.pageview ?? [])).toBe(pageviews)
      if (course.previous) expect(course.previous).toHaveLength(count)
    }
  })

  test('ranges: every endpoint refuses one that is incomplete or wrong', async () => {
    const paths = [
      'overview?',
      'stats/events?',
      'stats/goals?',
      'stats/timeseries?metric=mrr&',
      'stats/errors?',
    ]
    for (const range of ['range=last_year', 'from=2026-03-10', 'from=2026-03-11&to=2026-03-10']) {
      for (const path of paths) {
        expect((await stats.ask(`${site.path}/${path}${range}`)).status, path + range).toBe(422)
      }
    }
  })

  test('comparison: without compare, the previous period of today is all of yesterday', async () => {
    const today = await overview('range=today')
    expect(today).toMatchObject({ pageviews: 1, previous: { pageviews: 4 } })
    expect(today).not.toHaveProperty('comparison')
    const course = await timeseries('range=today')
    expect(sum(course.previous)).toBe(4)
    expect(Object.keys(course)).toEqual(['labels', 'values', 'previous', 'group'])
  })

  // It is 13:00 in Berlin: the clock hour that has begun ends at 13:00 UTC.
  test.each([
    ['previous', 3, '2026-03-17', '2026-03-16T23', '2026-03-17T13'],
    ['previous_year', 1, '2025-03-18', '2025-03-17T23', '2025-03-18T13'],
    ['previous&match_weekday=true', 1, '2026-03-11', '2026-03-10T23', '2026-03-11T13'],
    [
      'custom&compare_from=2026-03-17&compare_to=2026-03-17',
      4,
      '2026-03-17',
      '2026-03-16T23',
      '2026-03-17T23',
    ],
  ])('comparison: today with compare=%s', async (compare, pageviews, day, start, end) => {
    const comparison = { from: day, to: day, start: `${start}:00:00.000Z`, end: `${end}:00:00.000Z` }
    const query = `range=today&compare=${compare}`
    expect(await overview(query)).toMatchObject({
      pageviews: 1,
      days: 1,
      previous: { pageviews },
      comparison,
    })
    const course = await timeseries(query)
    expect(course).toMatchObject({ group: 'hour', comparison })
    expect([course.labels.length, course.previous.length, sum(course.previous)]).toEqual([24, 24, pageviews])
    expect(course.previous_labels).toHaveLength(compare.startsWith('custom') ? 24 : 14)
    expect(Date.parse(course.previous_labels[0])).toBe(Date.parse(comparison.start))
  })

  test('comparison: the last 24 hours with those before, over REST and tRPC', async () => {
    const expected = { pageviews: 2, days: 1, previous: { pageviews: 3 } }
    expect(await overview('range=last_24_hours')).toMatchObject(expected)
    const given = { siteKey: site.id, range: 'last_24_hours', compare: 'previous' } as const
    expect(await stats.client.stats.overview.query(given)).toMatchObject({
      ...expected,
      comparison: { from: '2026-03-16', to: '2026-03-17', end: '2026-03-17T13:00:00.000Z' },
    })
    const { data } = await stats.read(site, '/stats/page-titles?range=last_24_hours')
    expect(data).toMatchObject([{ sessions: 2, sessions_previous: 3, sessions_change_pct: -33.3 }])
    const { data: rows } = await stats.read(site, '/stats/breakdown?dimension=path&range=last_24_hours')
    expect(sum(rows.map((row: { pageviews: number }) => row.pageviews))).toBe(2)
  })

  const SERIES = 'stats/timeseries?metric=visitors&'
  const LONG = 'group=hour&from=2025-01-01&to=2026-03-01'
  test.each([
    ['overview?', 'compare=year', 'compare'],
    ['overview?', 'compare=custom&compare_from=2026-03-01', 'compare_to'],
    ['overview?', 'match_weekday=true', 'match_weekday'],
    [SERIES, 'compare=previous&compare_to=2026-03-01', 'compare_to'],
    [SERIES, 'group=year', 'group'],
    [SERIES, LONG, 'group'],
    [SERIES, 'compare=custom&compare_from=2000-01-01&compare_to=2026-03-01', 'compare_from'],
    ['stats/events/timeseries?', LONG, 'group'],
    ['stats/page-titles/timeseries?title=T&', LONG, 'group'],
  ])('comparison: %s%s is refused at %s', async (path, query, field) => {
    const answer = await stats.ask(`${site.path}/${path}${query}`)
    expect([answer.status, Object.keys(answer.json.errors)]).toEqual([422, [field]])
  })

  test('comparison: a compared period before the details of a site is named in X-Details-From', async () => {
    const kept = await stats.site()
    const { db } = stats.api.services
    await db`update sites set details_from = '2026-01-01', first_event_at = '2025-01-01' where id = ${kept.id}`
    const header = async (query: string) =>
      (await stats.ask(`${kept.path}/overview?range=today${query}`)).headers['x-details-from'] ?? null
    expect(await header('')).toBeNull()
    expect(await header('&compare=previous')).toBeNull()
    expect(await header('&compare=previous_year')).toBe('2026-01-01T00:00:00.000Z')
    expect(await header('&compare=previous_year&country=DE')).toBe('2026-01-01T00:00:00.000Z')
  })
})
