import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIST_PERIODS, listWindow } from '../../../src/platform/time/list-window.ts'
import { allZones } from '../../../src/platform/time/zones.ts'
import { runs } from '../../support/runs.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]
const BERLIN = 'Europe/Berlin'
const NEW_YORK = 'America/New_York'

const window = (period: (typeof LIST_PERIODS)[number], zone: string, now: string) => {
  const { buckets, start, end, previousStart } = listWindow(period, zone, new Date(now))
  const iso = (at: Date) => at.toISOString().slice(0, 16)
  return { count: buckets.length, previousStart: iso(previousStart), start: iso(start), end: iso(end) }
}

const midday = '2026-04-10T12:34:56Z'
test.each([
  ['24h', 'UTC', midday, '2026-04-08T13:00', '2026-04-09T13:00', '2026-04-10T13:00'],
  ['24h', 'UTC', '2026-04-10T12:00:00Z', '2026-04-08T13:00', '2026-04-09T13:00', '2026-04-10T13:00'],
  ['24h', 'Asia/Kolkata', midday, '2026-04-08T13:30', '2026-04-09T13:30', '2026-04-10T13:30'],
  ['24h', 'Asia/Kathmandu', midday, '2026-04-08T13:15', '2026-04-09T13:15', '2026-04-10T13:15'],
  ['24h', BERLIN, '2026-03-29T06:30:00Z', '2026-03-27T07:00', '2026-03-28T07:00', '2026-03-29T07:00'],
  ['7d', 'UTC', midday, '2026-03-28T00:00', '2026-04-04T00:00', '2026-04-11T00:00'],
  ['7d', BERLIN, '2026-04-01T22:30:00Z', '2026-03-19T23:00', '2026-03-26T23:00', '2026-04-02T22:00'],
  ['30d', NEW_YORK, '2026-04-10T03:00:00Z', '2026-02-09T05:00', '2026-03-11T04:00', '2026-04-10T04:00'],
] as const)(
  'time window of the site list: %s in %s at %s',
  (period, zone, now, previousStart, start, end) => {
    const count = { '24h': 24, '7d': 7, '30d': 30 }[period]
    expect(window(period, zone, now)).toEqual({ count, previousStart, start, end })
  },
)

test('time window of the site list: the window of the site list has 24 clock hours: a repeated one twice, on Lord Howe one of 30 or 90 minutes', () => {
  const oddLengths = (zone: string, now: string) =>
    listWindow('24h', zone, new Date(now))
      .buckets.map(({ start, end }) => (end.getTime() - start.getTime()) / MINUTE)
      .filter(length => length !== 60)
  expect(window('24h', BERLIN, '2025-10-26T10:30:00Z')).toMatchObject({
    count: 24,
    start: '2025-10-25T11:00',
  })
  expect(oddLengths(BERLIN, '2025-10-26T10:30:00Z')).toEqual([])
  expect(oddLengths('Australia/Lord_Howe', '2025-10-05T01:00:00Z')).toEqual([30])
  expect(oddLengths('Australia/Lord_Howe', '2026-04-05T01:00:00Z')).toEqual([90])
})

test('time window of the site list: the window of the site list keeps its seven buckets across the day that Apia skipped', () => {
  const { buckets } = listWindow('7d', 'Pacific/Apia', new Date('2012-01-02T00:00:00Z'))
  expect(buckets.map(({ start, end }) => (end.getTime() - start.getTime()) / HOUR)).toEqual([
    24, 24, 24, 0, 24, 24, 24,
  ])
})

test('time window of the site list: consists of its buckets, contains now in the last one, and starts where the previous window ends', () => {
  const now = fc.date({ min: new Date('2015-01-01Z'), max: new Date('2030-12-31Z'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...LIST_PERIODS), fc.constantFrom(...allZones()), now, (period, zone, at) => {
      const { buckets, start, end, previousStart, previousEnd } = listWindow(period, zone, at)
      expect(buckets[0]?.start).toEqual(start)
      expect(buckets.at(-1)?.end).toEqual(end)
      for (const [i, bucket] of buckets.entries()) {
        if (i > 0) expect(bucket.start).toEqual(buckets[i - 1]?.end)
        expect(bucket.start.getTime() % (15 * MINUTE)).toBe(0)
      }
      expect(buckets.at(-1)!.start <= at && at < end).toBe(true)
      expect(previousEnd).toEqual(start)
      const off = Math.abs(+start - +previousStart - (+end - +start))
      expect(off).toBeLessThanOrEqual(4 * HOUR)
    }),
    { numRuns: runs(1000) },
  )
})
