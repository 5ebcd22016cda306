import { afterAll, beforeAll, expect, test } from 'vitest'
import { hit, type Stats, type StatsSite, startStats } from './stats-site.ts'

let stats: Stats
beforeAll(async () => {
  stats = await startStats()
})
afterAll(() => stats.close())

/** A site of a zone with a pageview at each of these moments, each of another visitor. */
async function siteWith(zone: string, moments: string[]): Promise<StatsSite> {
  const site = await stats.site(zone)
  await stats.store(moments.map(at => hit(site, at, { title: 'T' })))
  return site
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

interface Course {
  zone: string
  from: string
  to: string
  group: string
  buckets: number
  /** Moments of pageviews, and the label of the bucket that each is in; null: outside the range. */
  hits: [string, string | null][]
  labels?: string[]
}

const courses: Course[] = [
  {
    // +05:45
    zone: 'Asia/Kathmandu',
    from: '2026-03-10',
    to: '2026-03-10',
    group: 'hour',
    buckets: 24,
    hits: [
      ['2026-03-09T18:14:59.999Z', null],
      ['2026-03-09T18:15:00.000Z', '2026-03-10T00:00:00+05:45'],
      ['2026-03-10T04:14:59.999Z', '2026-03-10T09:00:00+05:45'],
      ['2026-03-10T04:15:00.000Z', '2026-03-10T10:00:00+05:45'],
      ['2026-03-10T18:14:59.999Z', '2026-03-10T23:00:00+05:45'],
      ['2026-03-10T18:15:00.000Z', null],
    ],
  },
  {
    // 02:00 is skipped
    zone: 'America/New_York',
    from: '2026-03-08',
    to: '2026-03-08',
    group: 'hour',
    buckets: 23,
    hits: [
      ['2026-03-08T04:59:59.999Z', null],
      ['2026-03-08T05:00:00.000Z', '2026-03-08T00:00:00-05:00'],
      ['2026-03-08T06:59:59.999Z', '2026-03-08T01:00:00-05:00'],
      ['2026-03-08T07:00:00.000Z', '2026-03-08T03:00:00-04:00'],
      ['2026-03-09T03:59:59.999Z', '2026-03-08T23:00:00-04:00'],
      ['2026-03-09T04:00:00.000Z', null],
    ],
  },
  {
    // 01:00 comes twice
    zone: 'America/New_York',
    from: '2025-11-02',
    to: '2025-11-02',
    group: 'hour',
    buckets: 25,
    hits: [
      ['2025-11-02T03:59:59.999Z', null],
      ['2025-11-02T04:00:00.000Z', '2025-11-02T00:00:00-04:00'],
      ['2025-11-02T05:30:00.000Z', '2025-11-02T01:00:00-04:00'],
      ['2025-11-02T06:30:00.000Z', '2025-11-02T01:00:00-05:00'],
      ['2025-11-03T04:59:59.999Z', '2025-11-02T23:00:00-05:00'],
      ['2025-11-03T05:00:00.000Z', null],
    ],
  },
  {
    zone: 'America/New_York',
    from: '2026-03-07',
    to: '2026-03-09',
    group: 'day',
    buckets: 3,
    labels: ['2026-03-07T00:00:00-05:00', '2026-03-08T00:00:00-05:00', '2026-03-09T00:00:00-04:00'],
    hits: [
      ['2026-03-08T04:59:59.999Z', '2026-03-07T00:00:00-05:00'],
      ['2026-03-09T03:59:59.999Z', '2026-03-08T00:00:00-05:00'],
      ['2026-03-09T04:00:00.000Z', '2026-03-09T00:00:00-04:00'],
    ],
  },
  {
    // The clocks go back from 02:00 to 01:30: no other hour, but one that lasts 90 minutes.
    zone: 'Australia/Lord_Howe',
    from: '2025-04-06',
    to: '2025-04-06',
    group: 'hour',
    buckets: 24,
    hits: [
      ['2025-04-05T12:59:59.999Z', null],
      ['2025-04-05T13:00:00.000Z', '2025-04-06T00:00:00+11:00'],
      ['2025-04-05T14:59:59.999Z', '2025-04-06T01:00:00+11:00'],
      ['2025-04-05T15:29:59.999Z', '2025-04-06T01:00:00+11:00'],
      ['2025-04-05T15:30:00.000Z', '2025-04-06T02:00:00+10:30'],
      ['2025-04-06T13:29:59.999Z', '2025-04-06T23:00:00+10:30'],
      ['2025-04-06T13:30:00.000Z', null],
    ],
  },
  {
    // From 02:00 to 02:30: an hour of 30 minutes.
    zone: 'Australia/Lord_Howe',
    from: '2025-10-05',
    to: '2025-10-05',
    group: 'hour',
    buckets: 24,
    hits: [
      ['2025-10-04T13:29:59.999Z', null],
      ['2025-10-04T13:30:00.000Z', '2025-10-05T00:00:00+10:30'],
      ['2025-10-04T15:29:59.999Z', '2025-10-05T01:00:00+10:30'],
      ['2025-10-04T15:30:00.000Z', '2025-10-05T02:30:00+11:00'],
      ['2025-10-04T16:00:00.000Z', '2025-10-05T03:00:00+11:00'],
      ['2025-10-05T12:59:59.999Z', '2025-10-05T23:00:00+11:00'],
      ['2025-10-05T13:00:00.000Z', null],
    ],
  },
  {
    // Ramadan of 2026 began on 18 February: the clocks went back on the 15th, and go forward on 22 March.
    zone: 'Africa/Casablanca',
    from: '2026-02-14',
    to: '2026-02-16',
    group: 'day',
    buckets: 3,
    labels: ['2026-02-14T00:00:00+01:00', '2026-02-15T00:00:00+01:00', '2026-02-16T00:00:00+00:00'],
    hits: [
      ['2026-02-13T22:59:59.999Z', null],
      ['2026-02-13T23:00:00.000Z', '2026-02-14T00:00:00+01:00'],
      ['2026-02-15T23:59:59.999Z', '2026-02-15T00:00:00+01:00'],
      ['2026-02-16T00:00:00.000Z', '2026-02-16T00:00:00+00:00'],
    ],
  },
  {
    // Lebanon skips midnight: the day begins at 01:00.
    zone: 'Asia/Beirut',
    from: '2025-03-30',
    to: '2025-03-30',
    group: 'hour',
    buckets: 23,
    hits: [
      ['2025-03-29T21:59:59.999Z', null],
      ['2025-03-29T22:00:00.000Z', '2025-03-30T01:00:00+03:00'],
      ['2025-03-30T20:59:59.999Z', '2025-03-30T23:00:00+03:00'],
      ['2025-03-30T21:00:00.000Z', null],
    ],
  },
  {
    zone: 'Pacific/Apia',
    from: '2026-03-10',
    to: '2026-03-10',
    group: 'hour',
    buckets: 24,
    hits: [
      ['2026-03-09T10:59:59.999Z', null],
      ['2026-03-09T11:00:00.000Z', '2026-03-10T00:00:00+13:00'],
      ['2026-03-10T10:59:59.999Z', '2026-03-10T23:00:00+13:00'],
      ['2026-03-10T11:00:00.000Z', null],
    ],
  },
]

test.each(courses)('timeseries: $zone from $from to $to has the right labels and sums', async course => {
  const { zone, from, to, group, buckets, hits } = course
  const site = await siteWith(
    zone,
    hits.map(([at]) => at),
  )
  const range = `from=${from}&to=${to}`
  const inRange = hits.map(([, label]) => label).filter(label => label !== null)
  const expected = (labels: string[]) => labels.map(label => inRange.filter(one => one === label).length)
  for (const metric of ['pageviews', 'visitors', 'sessions']) {
    const { labels, values, ...rest } = await stats.read(site, `/stats/timeseries?metric=${metric}&${range}`)
    expect(rest.group).toBe(group)
    expect(labels).toHaveLength(buckets)
    if (course.labels) expect(labels).toEqual(course.labels)
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
})

test('ranges: the day that Samoa skipped is a day without hits', async () => {
  const site = await siteWith('Pacific/Apia', [
    // 29 December ended at UTC-10 where 31 December began at UTC+14.
    '2011-12-30T09:59:59.999Z',
    '2011-12-30T10:00:00.000Z',
  ])
  const overview = (from: string, to: string) => stats.read(site, `/overview?from=${from}&to=${to}`)
  expect(await overview('2011-12-29', '2011-12-29')).toMatchObject({ pageviews: 1, days: 1 })
  expect(await overview('2011-12-30', '2011-12-30')).toMatchObject({ pageviews: 0, days: 1 })
  expect(await overview('2011-12-31', '2011-12-31')).toMatchObject({ pageviews: 1, days: 1 })
  expect(await overview('2011-12-29', '2011-12-31')).toMatchObject({ pageviews: 2, days: 3 })
  const course = await stats.read(site, '/stats/timeseries?metric=pageviews&from=2011-12-29&to=2011-12-31')
  expect(course.group).toBe('day')
  expect(sum(course.values)).toBe(2)
  expect(course.labels[0]).toBe('2011-12-29T00:00:00-10:00')
  expect(course.labels.at(-1)).toBe('2011-12-31T00:00:00+14:00')
  for (const path of ['/stats/timeseries?metric=visitors', '/stats/events/timeseries?types='])
    await stats.read(site, `${path}&from=2011-12-30&to=2011-12-30`)
})

test('timeseries: a session counts in the bucket of its start, a pageview in its own', async () => {
  const site = await stats.site('America/New_York')
  const visitorId = '00000000-0000-4000-8000-00000000000a'
  await stats.store([
    hit(site, '2026-03-11T03:50:00.000Z', { visitorId, title: 'T' }),
    hit(site, '2026-03-11T03:59:59.999Z', { visitorId, title: 'T', url: '/a' }),
    hit(site, '2026-03-11T04:00:00.000Z', { visitorId, title: 'T', url: '/b' }),
    hit(site, '2026-03-11T04:10:00.000Z', { visitorId, title: 'T', url: '/c' }),
    hit(site, '2026-03-11T04:11:00.000Z', { visitorId, type: 'event', name: 'late' }),
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
