import { expect, test } from 'vitest'
import { duePeriods, lastPeriod } from '../../../src/notifications/reports/periods.ts'

/** The newest period of a frequency that is due, and when it was. */
function due(zone: string, hour: number, now: string, frequency: string) {
  const { from, to, dueAt } = duePeriods(zone, hour, new Date(now)).find(
    each => each.frequency === frequency,
  )!
  return [from, to, dueAt.toISOString()]
}

test.each([
  // Kathmandu is 5:45 ahead of UTC: 8:00 there is 02:15.
  [
    'Asia/Kathmandu',
    8,
    '2026-11-23T02:14:59Z',
    'daily',
    '2026-11-21',
    '2026-11-21',
    '2026-11-22T02:15:00.000Z',
  ],
  [
    'Asia/Kathmandu',
    8,
    '2026-11-23T02:15:00Z',
    'daily',
    '2026-11-22',
    '2026-11-22',
    '2026-11-23T02:15:00.000Z',
  ],
  // Sunday evening in New York, Monday morning in Berlin.
  [
    'America/New_York',
    8,
    '2026-11-23T07:00:00Z',
    'weekly',
    '2026-11-09',
    '2026-11-15',
    '2026-11-16T13:00:00.000Z',
  ],
  [
    'Europe/Berlin',
    8,
    '2026-11-23T07:00:00Z',
    'weekly',
    '2026-11-16',
    '2026-11-22',
    '2026-11-23T07:00:00.000Z',
  ],
  [
    'Europe/Berlin',
    8,
    '2026-11-29T23:59:00Z',
    'weekly',
    '2026-11-16',
    '2026-11-22',
    '2026-11-23T07:00:00.000Z',
  ],
  ['UTC', 0, '2026-03-01T00:00:00Z', 'monthly', '2026-02-01', '2026-02-28', '2026-03-01T00:00:00.000Z'],
  ['UTC', 23, '2026-03-01T22:59:00Z', 'monthly', '2026-01-01', '2026-01-31', '2026-02-01T23:00:00.000Z'],
  // Clocks skip 2:00 to 3:00 on 29 March.
  [
    'Europe/Berlin',
    2,
    '2026-03-29T01:00:00Z',
    'daily',
    '2026-03-28',
    '2026-03-28',
    '2026-03-29T01:00:00.000Z',
  ],
  [
    'Europe/Berlin',
    2,
    '2026-03-29T00:59:00Z',
    'daily',
    '2026-03-27',
    '2026-03-27',
    '2026-03-28T01:00:00.000Z',
  ],
  // Clocks show 2:00 twice on 25 October: the first counts.
  [
    'Europe/Berlin',
    2,
    '2026-10-25T00:00:00Z',
    'daily',
    '2026-10-24',
    '2026-10-24',
    '2026-10-25T00:00:00.000Z',
  ],
  [
    'Europe/Berlin',
    2,
    '2026-10-25T01:30:00Z',
    'daily',
    '2026-10-24',
    '2026-10-24',
    '2026-10-25T00:00:00.000Z',
  ],
  // The same hour, before and after the change.
  [
    'Europe/Berlin',
    8,
    '2026-10-24T06:00:00Z',
    'daily',
    '2026-10-23',
    '2026-10-23',
    '2026-10-24T06:00:00.000Z',
  ],
  [
    'Europe/Berlin',
    8,
    '2026-10-26T07:00:00Z',
    'daily',
    '2026-10-25',
    '2026-10-25',
    '2026-10-26T07:00:00.000Z',
  ],
])(
  'reports: in %s at %i:00, at %s the newest %s report is of %s to %s',
  (zone, hour, now, frequency, ...period) => {
    expect(due(zone, hour, now, frequency)).toEqual(period)
  },
)

test('reports: the newest period that is over does not depend on the hour', () => {
  const now = new Date('2026-11-23T00:00:00Z')
  expect(lastPeriod('UTC', 'daily', now)).toMatchObject({ from: '2026-11-22', to: '2026-11-22' })
  expect(lastPeriod('UTC', 'weekly', now)).toMatchObject({ from: '2026-11-16', to: '2026-11-22' })
  expect(lastPeriod('America/New_York', 'weekly', now)).toMatchObject({
    from: '2026-11-09',
    to: '2026-11-15',
  })
  expect(lastPeriod('UTC', 'monthly', now)).toMatchObject({ from: '2026-10-01', to: '2026-10-31' })
})
