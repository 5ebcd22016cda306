import { expect, test } from 'vitest'
import type { Condition } from '../../../../src/outgoing/notifications/alerts/conditions.ts'
import { judge, type Measured } from '../../../../src/outgoing/notifications/alerts/judge.ts'
import { spanText } from '../../../../src/outgoing/notifications/alerts/texts/span-text.ts'
import { sameHourBefore, startOfLastHour } from '../../../../src/outgoing/notifications/alerts/windows.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-11-23T10:17:00Z')

const measured = (fields: Partial<Measured> = {}): Measured => ({
  lastHour: { visitors: 0, pageviews: 0, errors: 0 },
  weeksBefore: [],
  conversions: 0,
  lostMrr: 0,
  mrrBefore: 0,
  lastHitAt: undefined,
  ...fields,
})
const hour = (visitors: number, errors = 0) => ({ visitors, pageviews: 2 * visitors, errors })
const weeks = (...visitors: number[]) => visitors.map(count => ({ visitors: count, pageviews: 2 * count }))
const isMet = (condition: Condition, fields: Partial<Measured>, isOpen = false) =>
  judge(condition, measured(fields), isOpen, NOW)?.isMet

const spike: Condition = { kind: 'traffic_spike', metric: 'visitors', percent: 100, minimum: 50 }
const drop: Condition = { kind: 'traffic_drop', metric: 'pageviews', percent: 50, minimum: 50 }

test.each([
  ['above twice the median', 101, weeks(50, 10, 50, 900), true],
  ['at twice the median', 100, weeks(50, 10, 50, 900), false],
  ['below the minimum', 49, weeks(1, 1, 1, 1), false],
  ['above nothing', 60, weeks(0, 0, 0, 0), true],
  ['with two weeks', 61, weeks(20, 40), true],
  ['with one week', 500, weeks(20), undefined],
])('conditions of alerts: spike %s', (_, visitors, weeksBefore, expected) => {
  expect(isMet(spike, { lastHour: hour(visitors), weeksBefore })).toBe(expected)
})

test.each([
  ['at half of the median', 25, weeks(50, 50, 50, 50), true],
  ['above half of the median', 26, weeks(50, 50, 50, 50), false],
  ['of a site below the minimum', 0, weeks(24, 24, 24, 24), false],
])('conditions of alerts: drop %s', (_, visitors, weeksBefore, expected) => {
  expect(isMet(drop, { lastHour: hour(visitors), weeksBefore })).toBe(expected)
})

test('conditions of alerts: an open incident ends only half of the way back', () => {
  const weeksBefore = weeks(100, 100, 100, 100)
  expect(isMet(spike, { lastHour: hour(151), weeksBefore }, true)).toBe(true)
  expect(isMet(spike, { lastHour: hour(150), weeksBefore }, true)).toBe(false)
  expect(isMet(drop, { lastHour: hour(75), weeksBefore }, true)).toBe(true)
  expect(isMet(drop, { lastHour: hour(76), weeksBefore }, true)).toBe(false)
})

test('conditions of alerts: an open incident stays open with too little data to tell, and ends when there is enough again', () => {
  const night = weeks(10, 10, 10, 10)
  expect(isMet(drop, { lastHour: hour(10), weeksBefore: night }, true)).toBeUndefined()
  expect(isMet(drop, { lastHour: hour(0), weeksBefore: night }, true)).toBeUndefined()
  expect(isMet(drop, { lastHour: hour(90), weeksBefore: weeks(100, 100, 100, 100) }, true)).toBe(false)
  const rate: Condition = { kind: 'error_rate', percent: 5, minimum: 100 }
  expect(isMet(rate, { lastHour: { visitors: 1, pageviews: 99, errors: 0 } }, true)).toBeUndefined()
  expect(isMet(rate, { lastHour: { visitors: 1, pageviews: 100, errors: 0 } }, true)).toBe(false)
})

test('conditions of alerts: errors count by 100 pageviews, or by themselves', () => {
  const rate: Condition = { kind: 'error_rate', percent: 5, minimum: 100 }
  expect(isMet(rate, { lastHour: { visitors: 1, pageviews: 100, errors: 5 } })).toBe(true)
  expect(isMet(rate, { lastHour: { visitors: 1, pageviews: 99, errors: 50 } })).toBe(false)
  expect(isMet(rate, { lastHour: { visitors: 1, pageviews: 1_000, errors: 40 } }, true)).toBe(true)
  const count: Condition = { kind: 'error_count', count: 10 }
  expect([9, 10].map(errors => isMet(count, { lastHour: hour(0, errors) }))).toEqual([false, true])
})

test('conditions of alerts: goals are above or below; lost MRR is an amount or a part; silence is hours', () => {
  const goal = { kind: 'goal', goal: '', count: 3, hours: 1 } as const
  const met = (operator: 'above' | 'below') =>
    [2, 3, 4].map(conversions => isMet({ ...goal, operator }, { conversions }))
  expect([met('above'), met('below')]).toEqual([
    [false, false, true],
    [true, false, false],
  ])
  const churn = { kind: 'mrr_churn', value: 10, days: 7 } as const
  expect(isMet({ ...churn, unit: 'amount' }, { lostMrr: 10 })).toBe(true)
  expect(isMet({ ...churn, unit: 'percent' }, { lostMrr: 99, mrrBefore: 1_000 })).toBe(false)
  expect(isMet({ ...churn, unit: 'percent' }, { lostMrr: 100, mrrBefore: 1_000 })).toBe(true)
  expect(isMet({ ...churn, unit: 'percent' }, { lostMrr: 100 })).toBeUndefined()
  const silence: Condition = { kind: 'no_hits', hours: 3 }
  expect(isMet(silence, { lastHitAt: NOW - 3 * HOUR + 1 })).toBe(false)
  expect(isMet(silence, { lastHitAt: NOW - 3 * HOUR })).toBe(true)
  expect(isMet(silence, {})).toBe(true)
})

test('windows of alerts: the last hour consists of quarters that are over', () => {
  expect(new Date(startOfLastHour(NOW)).toISOString()).toBe('2026-11-23T09:15:00.000Z')
})

test.each([
  ['UTC', '2026-11-23T09:15:00Z', '2026-11-16T09:15:00Z', '2026-10-26T09:15:00Z'],
  // Clocks went back on 25 October.
  ['Europe/Berlin', '2026-11-16T09:15:00Z', '2026-11-09T09:15:00Z', '2026-10-19T08:15:00Z'],
  ['Europe/Berlin', '2026-10-26T09:15:00Z', '2026-10-19T08:15:00Z', '2026-09-28T08:15:00Z'],
  // And forward on 29 March.
  ['Europe/Berlin', '2026-03-30T09:15:00Z', '2026-03-23T10:15:00Z', '2026-03-02T10:15:00Z'],
  ['Australia/Lord_Howe', '2026-10-05T00:00:00Z', '2026-09-28T00:30:00Z', '2026-09-07T00:30:00Z'],
  ['Asia/Kathmandu', '2026-11-23T09:15:00Z', '2026-11-16T09:15:00Z', '2026-10-26T09:15:00Z'],
])(
  'windows of alerts: in %s, %s is compared with the same local hour of the weeks before',
  (zone, start, week, month) => {
    const before = sameHourBefore(zone, Date.parse(start)).map(at => new Date(at).toISOString())
    expect([before[0], before[3]]).toEqual([new Date(week).toISOString(), new Date(month).toISOString()])
  },
)

test('windows of alerts: spans are said in days, hours and minutes', () => {
  expect([1, 65 * 60_000, 26 * HOUR, 48 * HOUR].map(spanText)).toEqual([
    '1 min',
    '1 h 5 min',
    '1 d 2 h',
    '2 d',
  ])
})
