import { describe, expect, test } from 'vitest'
import { RangeQuery, resolveRange } from '../../src/time/range.ts'

const clock = { now: new Date('2026-03-29T12:00:00Z'), firstEventAt: null }
const daysOf = (zone: string, from: string, to: string) => {
  const range = resolveRange(RangeQuery.parse({ from, to }), { ...clock, zone })
  return [range.from, range.to, range.start.toISOString(), range.end.toISOString()]
}

describe('range: moments', () => {
  test('a moment stands for the day of the site in which it lies', () => {
    const berlin = ['2026-03-29', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']
    expect(daysOf('Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z')).toEqual(berlin)
    expect(daysOf('Europe/Berlin', '2026-03-29T00:00:00+01:00', '2026-03-29T23:59:59+02:00')).toEqual(berlin)
    const unix = (text: string) => String(Date.parse(text))
    expect(daysOf('Europe/Berlin', unix('2026-03-28T23:00:00Z'), unix('2026-03-29T21:59:59.999Z'))).toEqual(
      berlin,
    )
    expect(daysOf('America/New_York', '2026-03-29T03:00:00Z', '2026-03-29T05:00:00Z').slice(0, 2)).toEqual([
      '2026-03-28',
      '2026-03-29',
    ])
    expect(daysOf('UTC', '2026-03-01', '2026-03-02').slice(0, 2)).toEqual(['2026-03-01', '2026-03-02'])
  })

  test.each([
    ['2026-03-01', '2026-03-02T00:00:00Z', 'written like to'],
    ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z', 'later than to'],
    ['1700000000001', '1700000000000', 'later than to'],
    ['2026-03-01T00:00:00', '2026-03-02T00:00:00', 'with its offset'],
    ['1969-12-31T00:00:00Z', '1970-01-05T00:00:00Z', '1970 to 9998'],
    ['1', '99999999999999999', '1970 to 9998'],
    ['999999999999999', '999999999999999', '1970 to 9998'],
    ['2026-02-30', '2026-03-02', 'one calendar date'],
  ])('%s to %s is refused', (from, to, message) => {
    const { error } = RangeQuery.safeParse({ from, to })
    expect(error!.issues[0]!.message).toContain(message)
  })
})
