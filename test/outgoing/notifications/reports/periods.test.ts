import { expect, test } from 'vitest'
import { duePeriods, lastPeriod } from '../../../../src/outgoing/notifications/reports/periods.ts'

test.each([
  // Kathmandu is 5:45 ahead of UTC: 8:00 there is 02:15.
  ['Asia/Kathmandu', 8, '11-23T02:14:59', 'daily', '11-21', '11-21', '11-22T02:15'],
  ['Asia/Kathmandu', 8, '11-23T02:15:00', 'daily', '11-22', '11-22', '11-23T02:15'],
  // Sunday evening in New York, Monday morning in Berlin.
  ['America/New_York', 8, '11-23T07:00:00', 'weekly', '11-09', '11-15', '11-16T13:00'],
  ['Europe/Berlin', 8, '11-23T07:00:00', 'weekly', '11-16', '11-22', '11-23T07:00'],
  ['Europe/Berlin', 8, '11-29T23:59:00', 'weekly', '11-16', '11-22', '11-23T07:00'],
  ['UTC', 0, '03-01T00:00:00', 'monthly', '02-01', '02-28', '03-01T00:00'],
  ['UTC', 23, '03-01T22:59:00', 'monthly', '01-01', '01-31', '02-01T23:00'],
  // Clocks skip 2:00 to 3:00 on 29 March.
  ['Europe/Berlin', 2, '03-29T01:00:00', 'daily', '03-28', '03-28', '03-29T01:00'],
  ['Europe/Berlin', 2, '03-29T00:59:00', 'daily', '03-27', '03-27', '03-28T01:00'],
  // Clocks show 2:00 twice on 25 October: the first counts.
  ['Europe/Berlin', 2, '10-25T00:00:00', 'daily', '10-24', '10-24', '10-25T00:00'],
  ['Europe/Berlin', 2, '10-25T01:30:00', 'daily', '10-24', '10-24', '10-25T00:00'],
  // The same hour, before and after the change.
  ['Europe/Berlin', 8, '10-24T06:00:00', 'daily', '10-23', '10-23', '10-24T06:00'],
  ['Europe/Berlin', 8, '10-26T07:00:00', 'daily', '10-25', '10-25', '10-26T07:00'],
])(
  'reports: in %s at %i:00, at %s the newest %s report is of %s to %s',
  (zone, hour, now, frequency, ...due) => {
    const periods = duePeriods(zone, hour, new Date(`2026-${now}Z`))
    const [from, to, dueAt] = due
    expect(periods.find(each => each.frequency === frequency)).toMatchObject({
      ...{ from: `2026-${from}`, to: `2026-${to}`, dueAt: new Date(`2026-${dueAt}Z`) },
    })
  },
)

test.each([
  ['UTC', 'daily', '2026-11-22', '2026-11-22'],
  ['UTC', 'weekly', '2026-11-16', '2026-11-22'],
  ['America/New_York', 'weekly', '2026-11-09', '2026-11-15'],
  ['UTC', 'monthly', '2026-10-01', '2026-10-31'],
] as const)(
  'reports: in %s the newest %s period that is over is of %s to %s, at any hour',
  (zone, frequency, from, to) => {
    expect(lastPeriod(zone, frequency, new Date('2026-11-23T00:00:00Z'))).toMatchObject({ from, to })
  },
)
