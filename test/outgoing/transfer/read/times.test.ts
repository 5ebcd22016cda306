import { expect, test } from 'vitest'
import { readTime } from '../../../../src/outgoing/transfer/read/times.ts'

test.each([
  ['2024-01-31T12:00:00Z', '2024-01-31T12:00:00.000Z'],
  ['2024-01-31 12:00:00.123456+00', '2024-01-31T12:00:00.123Z'],
  ['2024-01-31 12:00:00 UTC', '2024-01-31T12:00:00.000Z'],
  ['2024-01-31T12:00:00.5+05:30', '2024-01-31T06:30:00.500Z'],
  ['2024-01-31 12:00:00', '2024-01-31T11:00:00.000Z'],
  ['2024-07-31 12:00', '2024-07-31T10:00:00.000Z'],
  ['2024-01-31', '2024-01-30T23:00:00.000Z'],
  // Berlin's clocks show 02:30 twice on this day, and skip it on the other.
  ['2024-10-27 02:30:00', '2024-10-27T00:30:00.000Z'],
  ['2024-03-31 02:30:00', '2024-03-31T01:30:00.000Z'],
])('times: %s in Berlin is %s', (text, instant) => {
  expect(new Date(readTime(text, 'Europe/Berlin')!).toISOString()).toBe(instant)
})

test.each(['', 'yesterday', '2024-02-30 10:00:00', '2024-13-01', '2024-01-01T25:00:00Z', '1706702400'])(
  'times: %j is no time',
  text => expect(readTime(text, 'UTC')).toBeUndefined(),
)
