import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hit, type Stats, type StatsSite, startStats } from './stats-site.ts'

let stats: Stats
let site: StatsSite
beforeAll(async () => {
  stats = await startStats('2026-03-18T12:00:00Z')
  site = await stats.site('Europe/Berlin')
  const moments = [
    '2025-03-18T08:00:00Z',
    '2025-03-18T13:00:00Z',
    '2026-03-11T09:00:00Z',
    '2026-03-17T11:59:59.999Z',
    '2026-03-17T12:00:00Z',
    '2026-03-17T12:59:59.999Z',
    '2026-03-17T20:00:00Z',
    '2026-03-18T10:00:00Z',
  ]
  await stats.store(moments.map(at => hit(site, at, { title: 'T' })))
})
afterAll(() => stats.close())

const overview = (query: string) => stats.read(site, `/overview?${query}`)
const timeseries = (query: string) => stats.read(site, `/stats/timeseries?metric=pageviews&${query}`)
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

describe('comparison', () => {
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
    ['compare=previous', 3, '2026-03-17', '2026-03-16T23:00:00.000Z', '2026-03-17T13:00:00.000Z'],
    ['compare=previous_year', 1, '2025-03-18', '2025-03-17T23:00:00.000Z', '2025-03-18T13:00:00.000Z'],
    [
      'compare=previous&match_weekday=true',
      1,
      '2026-03-11',
      '2026-03-10T23:00:00.000Z',
      '2026-03-11T13:00:00.000Z',
    ],
    [
      'compare=custom&compare_from=2026-03-17&compare_to=2026-03-17',
      4,
      '2026-03-17',
      '2026-03-16T23:00:00.000Z',
      '2026-03-17T23:00:00.000Z',
    ],
  ])('comparison: today with %s', async (query, pageviews, day, start, end) => {
    const comparison = { from: day, to: day, start, end }
    expect(await overview(`range=today&${query}`)).toMatchObject({
      pageviews: 1,
      days: 1,
      previous: { pageviews },
      comparison,
    })
    const course = await timeseries(`range=today&${query}`)
    expect(course).toMatchObject({ group: 'hour', comparison })
    expect([course.labels.length, course.previous.length, sum(course.previous)]).toEqual([24, 24, pageviews])
    expect(course.previous_labels).toHaveLength(query.includes('custom') ? 24 : 14)
    expect(Date.parse(course.previous_labels[0])).toBe(Date.parse(start))
  })

  test('comparison: a longer period has more labels than the series, and its first buckets are compared', async () => {
    const days = 'compare=custom&compare_from=2026-03-11&compare_to=2026-03-18'
    const course = await timeseries(`from=2026-03-17&to=2026-03-18&group=day&${days}`)
    expect(course).toMatchObject({ values: [4, 1], previous: [1, 0], group: 'day' })
    expect(course.previous_labels).toHaveLength(8)
    expect(await overview(`from=2026-03-17&to=2026-03-18&${days}`)).toMatchObject({
      pageviews: 5,
      previous: { pageviews: 6 },
    })
  })

  test('comparison: filters with patterns and goals apply to the compared period', async () => {
    const goal = await stats.goal(site, { match_type: 'page', match_value: '/*' })
    const last = 'range=today&compare=previous_year'
    expect(await overview(`${last}&goal=${goal}&title[matches_regex]=^T`)).toMatchObject({
      pageviews: 1,
      conversion_rate: 100,
      previous: { pageviews: 1, conversion_rate: 100 },
    })
  })

  test('comparison: the last 24 hours with those before, over REST and tRPC', async () => {
    const expected = { pageviews: 2, days: 1, previous: { pageviews: 3 } }
    expect(await overview('range=last_24_hours')).toMatchObject(expected)
    const given = { siteKey: site.id, range: 'last_24_hours', compare: 'previous' } as const
    expect(await stats.client.stats.overview.query(given)).toMatchObject({
      ...expected,
      comparison: { from: '2026-03-16', to: '2026-03-17', end: '2026-03-17T13:00:00.000Z' },
    })
    for (const path of ['page-titles/timeseries?title=T', 'events/timeseries?']) {
      const course = await stats.read(site, `/stats/${path}&range=last_24_hours`)
      expect([course.group, course.labels.length]).toEqual(['hour', 24])
      expect(sum(course.values ?? course.series.pageview)).toBe(2)
    }
    const { data } = await stats.read(site, '/stats/page-titles?range=last_24_hours')
    expect(data).toMatchObject([{ sessions: 2, sessions_previous: 3, sessions_change_pct: -33.3 }])
    const { data: rows } = await stats.read(site, '/stats/breakdown?dimension=path&range=last_24_hours')
    expect(sum(rows.map((row: { pageviews: number }) => row.pageviews))).toBe(2)
  })

  test.each([
    ['overview?', 'compare=year', 'compare'],
    ['overview?', 'compare=custom&compare_from=2026-03-01', 'compare_to'],
    ['overview?', 'match_weekday=true', 'match_weekday'],
    ['stats/timeseries?metric=visitors&', 'compare=previous&compare_to=2026-03-01', 'compare_to'],
    ['stats/timeseries?metric=visitors&', 'group=year', 'group'],
    ['stats/timeseries?metric=visitors&', 'group=hour&from=2025-01-01&to=2026-03-01', 'group'],
    [
      'stats/timeseries?metric=visitors&',
      'compare=custom&compare_from=2000-01-01&compare_to=2026-03-01',
      'compare_from',
    ],
    ['stats/events/timeseries?', 'group=hour&from=2025-01-01&to=2026-03-01', 'group'],
    ['stats/page-titles/timeseries?title=T&', 'group=hour&from=2025-01-01&to=2026-03-01', 'group'],
  ])('comparison: %s%s is refused at %s', async (path, query, field) => {
    const answer = await stats.ask(`${site.path}/${path}${query}`)
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.json.errors)).toEqual([field])
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
