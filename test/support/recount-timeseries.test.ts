import { describe, expect, test } from 'vitest'
import { bucketsOf, labelsOf, recountGroup } from './recount-buckets.ts'
import { recountEventSeries, recountMetricSeries } from './recount-timeseries.ts'
import { event, nextDay, thatDay, view, worldWith } from './sent-hits.ts'

test.each([
  ['2025-06-10', '2025-06-11', undefined, 'hour'],
  ['2025-06-10', '2025-06-12', undefined, 'day'],
  ['2025-01-01', '2025-04-02', undefined, 'day'],
  ['2025-01-01', '2025-04-03', undefined, 'week'],
  ['2024-01-01', '2024-12-31', undefined, 'week'],
  ['2024-01-01', '2025-01-01', undefined, 'month'],
  ['2024-07-01', '2025-06-10', 'last_12_months', 'month'],
])('%s to %s (%s) is grouped by %s', (from, to, range, group) => {
  expect(recountGroup(from, to, range)).toBe(group)
})

describe('labels', () => {
  const labels = (zone: string, from: string, to: string) =>
    labelsOf(zone, bucketsOf(zone, { from, to }, recountGroup(from, to)))

  test('recounted labels of hours leave out a skipped hour and repeat a doubled one', () => {
    const spring = labels('Europe/Berlin', '2025-03-30', '2025-03-30')
    expect(spring).toHaveLength(23)
    expect(spring.slice(0, 3)).toEqual([
      '2025-03-30T00:00:00+01:00',
      '2025-03-30T01:00:00+01:00',
      '2025-03-30T03:00:00+02:00',
    ])
    const autumn = labels('Europe/Berlin', '2025-10-26', '2025-10-26')
    expect(autumn).toHaveLength(25)
    expect(autumn.slice(2, 4)).toEqual(['2025-10-26T02:00:00+02:00', '2025-10-26T02:00:00+01:00'])
  })

  test('recounted labels of weeks are the first day of the range, then Mondays', () => {
    const weeks = labels('UTC', '2025-01-01', '2025-04-03')
    expect(weeks.slice(0, 2)).toEqual(['2025-01-01T00:00:00+00:00', '2025-01-06T00:00:00+00:00'])
    expect(weeks.at(-1)).toBe('2025-03-31T00:00:00+00:00')
    expect(weeks).toHaveLength(14)
  })

  test('recounted labels of months are the first day of the range, then first days of months', () => {
    const months = labels('Asia/Kathmandu', '2024-01-15', '2025-02-01')
    expect(months.slice(0, 2)).toEqual(['2024-01-15T00:00:00+05:45', '2024-02-01T00:00:00+05:45'])
    expect(months.at(-1)).toBe('2025-02-01T00:00:00+05:45')
    expect(months).toHaveLength(14)
  })
})

describe('metrics per bucket', () => {
  // Midnight is 720 minutes after noon.
  const world = worldWith([
    view(0),
    view(30),
    view(65, '/', { visitor: 'v2' }),
    view(715),
    view(725, '/pricing'),
    view(1440 + 30),
  ])
  const at = (values: number[]) => values.flatMap((value, hour) => (value === 0 ? [] : [[hour, value]]))

  test('recounted series count hits by their time and sessions by their start', () => {
    const pageviews = recountMetricSeries(world, 'pageviews', nextDay)
    expect(at(pageviews.values)).toEqual([
      [0, 1],
      [12, 1],
    ])
    expect(at(pageviews.previous)).toEqual([
      [12, 2],
      [13, 1],
      [23, 1],
    ])
    const sessions = recountMetricSeries(world, 'sessions', nextDay)
    expect(at(sessions.values)).toEqual([[12, 1]])
    expect(at(sessions.previous)).toEqual([
      [12, 1],
      [13, 1],
      [23, 1],
    ])
    expect(at(recountMetricSeries(world, 'bounce_rate', thatDay).values)).toEqual([[13, 100]])
    expect(at(recountMetricSeries(world, 'views_per_visit', thatDay).values)).toEqual([
      [12, 2],
      [13, 1],
      [23, 1],
    ])
    expect(at(recountMetricSeries(world, 'avg_session_seconds', thatDay).values)).toEqual([
      [12, 1800],
      [23, 600],
    ])
  })

  test('recounted series count a session where it started when it matches later in the range', () => {
    const query = { from: thatDay.from, to: nextDay.to, filters: { path: { is: ['/pricing'] } } }
    expect(at(recountMetricSeries(world, 'sessions', query).values)).toEqual([[23, 1]])
    expect(at(recountMetricSeries(world, 'visitors', query).values)).toEqual([[24, 1]])
  })

  test('the days before stand beside the first labels, with 0 where they have none', () => {
    // The day of 25 hours after one of 24, and the other way round.
    const berlin = worldWith([view(0, '/', { at: Date.parse('2025-10-26T22:30:00Z') })], 'Europe/Berlin')
    const after = recountMetricSeries(berlin, 'pageviews', { from: '2025-10-27', to: '2025-10-27' })
    expect(after.previous).toEqual(Array(24).fill(0))
    const changed = recountMetricSeries(berlin, 'pageviews', { from: '2025-10-26', to: '2025-10-26' })
    expect(changed.values).toHaveLength(25)
    expect(changed.previous).toHaveLength(25)
    expect(changed.values[24]).toBe(1)
  })
})

test('events over time have the types that occur, or those of them that are asked for', () => {
  const world = worldWith([
    view(0),
    event(1, 'signup'),
    event(70, 'signup'),
    event(2, 'error'),
    event(-800, 'form'),
  ])
  const { types, series, labels, group } = recountEventSeries(world, [], thatDay)
  expect(types).toEqual(['pageview', 'event', 'error'])
  expect(labels).toHaveLength(24)
  expect(group).toBe('hour')
  expect(series.event).toEqual([...Array(12).fill(0), 1, 1, ...Array(10).fill(0)])
  expect(recountEventSeries(world, ['event', 'copy'], thatDay).types).toEqual(['event'])
})
