import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

describe('buckets of ranges', () => {
  const groups: [string, string, number, string][] = [
    ['range=today', 'hour', 24, '2026-03-18T00:00:00+01:00'],
    ['range=yesterday', 'hour', 24, '2026-03-17T00:00:00+01:00'],
    ['from=2026-03-17&to=2026-03-18', 'hour', 48, '2026-03-17T00:00:00+01:00'],
    ['from=2026-03-16&to=2026-03-18', 'day', 3, '2026-03-16T00:00:00+01:00'],
    ['range=last_7_days', 'day', 7, '2026-03-12T00:00:00+01:00'],
    ['range=last_30_days', 'day', 30, '2026-02-17T00:00:00+01:00'],
    ['range=this_month', 'day', 18, '2026-03-01T00:00:00+01:00'],
    ['range=last_month', 'day', 28, '2026-02-01T00:00:00+01:00'],
    ['range=last_12_months', 'month', 12, '2025-04-01T00:00:00+02:00'],
    ['from=2026-01-01&to=2026-04-02', 'day', 92, '2026-01-01T00:00:00+01:00'],
    // A Thursday: its week began before the range.
    ['from=2026-01-01&to=2026-04-03', 'week', 14, '2026-01-01T00:00:00+01:00'],
    ['from=2024-01-01&to=2024-12-31', 'week', 53, '2024-01-01T00:00:00+01:00'],
    ['from=2025-01-01&to=2026-01-02', 'month', 13, '2025-01-01T00:00:00+01:00'],
  ]
  let site: StatsSite
  beforeAll(async () => {
    site = await siteWith('Europe/Berlin', [
      '2025-04-01T10:00:00Z',
      '2025-12-31T23:00:00Z',
      '2026-03-18T10:00:00Z',
    ])
  })

  test.each(groups)('%s is grouped by %s in %i buckets from %s', async (range, group, count, first) => {
    const { pageviews } = await stats.read(site, `/overview?${range}`)
    for (const path of [
      'timeseries?metric=pageviews',
      'page-titles/timeseries?title=T',
      'events/timeseries?',
    ]) {
      const course = await stats.read(site, `/stats/${path}&${range}`)
      expect(course.group).toBe(group)
      expect(course.labels).toHaveLength(count)
      expect(course.labels[0]).toBe(first)
      expect(sum(course.values ?? course.series.pageview ?? [])).toBe(pageviews)
      if (course.previous) expect(course.previous).toHaveLength(count)
    }
  })

  test('weeks start on Mondays, and the range all starts with the first event', async () => {
    const weeks = await stats.read(site, '/stats/timeseries?metric=pageviews&from=2026-01-01&to=2026-04-03')
    expect(weeks.labels.slice(1, 3)).toEqual(['2026-01-05T00:00:00+01:00', '2026-01-12T00:00:00+01:00'])
    expect(weeks.values[0]).toBe(1)
    const all = await stats.read(site, '/stats/timeseries?metric=pageviews&range=all')
    expect([all.group, all.labels[0], sum(all.values)]).toEqual(['week', '2025-04-01T00:00:00+02:00', 3])
  })
})

test.each([
  'range=last_year',
  'range=',
  'from=2026-03-10',
  'to=2026-03-10',
  'from=2026-03-11&to=2026-03-10',
  'from=2026-02-30&to=2026-03-10',
  'from=2026-3-1&to=2026-3-2',
])('ranges: every endpoint refuses %s', async range => {
  const site = await stats.site()
  for (const path of [
    'overview?',
    'stats/events?',
    'stats/goals?',
    'stats/timeseries?metric=mrr&',
    'stats/errors?',
  ]) {
    expect((await stats.ask(`${site.path}/${path}${range}`)).status, path).toBe(422)
  }
})
