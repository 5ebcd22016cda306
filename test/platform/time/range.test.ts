import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { RANGE_PRESETS, type RangePreset } from '../../../src/platform/time/presets.ts'
import { buckets, previousRange, RangeQuery, resolveRange } from '../../../src/platform/time/range.ts'
import { allZones } from '../../../src/platform/time/zones.ts'
import { runs } from '../../support/runs.ts'

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]
const BERLIN = 'Europe/Berlin'
const LORD_HOWE = 'Australia/Lord_Howe'
const NEW_YORK = 'America/New_York'

/** Returns a range by preset, or by its first and last day. */
function range(
  days: RangePreset | [from: string, to: string],
  zone = BERLIN,
  now = '2026-04-10T12:00:00Z',
  firstEventAt: string | null = null,
) {
  const query = typeof days === 'string' ? { range: days } : { from: days[0], to: days[1] }
  return resolveRange(RangeQuery.parse(query), {
    zone,
    now: new Date(now),
    firstEventAt: firstEventAt === null ? null : new Date(firstEventAt),
  })
}

const labels = (...args: Parameters<typeof range>) => buckets(range(...args)).map(bucket => bucket.label)

/** Minutes of each bucket. */
const lengths = (...args: Parameters<typeof range>) =>
  buckets(range(...args)).map(({ start, end }) => (end.getTime() - start.getTime()) / MINUTE)

test('range parameters: default to today, and accept each preset', () => {
  expect(RangeQuery.parse({})).toEqual({ range: 'today' })
  for (const preset of RANGE_PRESETS) expect(RangeQuery.parse({ range: preset })).toEqual({ range: preset })
})

test('range parameters ignore any preset when from and to are given', () => {
  const days = { from: '2026-01-01', to: '2026-01-31' }
  for (const preset of ['last_5_days', '', ['today', 'yesterday'], null, 'last_12_months'])
    expect(RangeQuery.parse({ range: preset, ...days })).toMatchObject(days)
  const query = RangeQuery.parse({ range: 'last_12_months', from: '2026-04-09', to: '2026-04-09' })
  expect(resolveRange(query, { zone: 'UTC', now: new Date(), firstEventAt: null }).group).toBe('hour')
})

test.each([
  ['an unknown preset', { range: 'last_5_days' }, 'range', 'last_12_months'],
  ['a preset in another case', { range: 'Today' }, 'range', 'today'],
  ['an empty preset', { range: '' }, 'range', 'must be one of'],
  ['a list of presets', { range: ['today'] }, 'range', 'must be one of'],
  ['null as a preset', { range: null }, 'range', 'must be one of'],
  ['the name of a property every object has', { range: 'constructor' }, 'range', 'must be one of'],
  ['from without to', { from: '2026-01-01' }, 'to', 'required when from'],
  ['to without from', { to: '2026-01-01' }, 'from', 'required when to'],
  ['from without to beside a preset', { range: 'today', from: '2026-01-01' }, 'to', 'required'],
  ['from after to', { from: '2026-01-02', to: '2026-01-01' }, 'from', 'later than to'],
  ['30 February', { from: '2026-02-30', to: '2026-03-01' }, 'from', 'must be one calendar date'],
  ['29 February of a common year', { from: '2026-01-01', to: '2026-02-29' }, 'to', 'YYYY-MM-DD'],
  ['a 13th month', { from: '2026-01-01', to: '2026-13-01' }, 'to', 'YYYY-MM-DD'],
  ['day 0', { from: '2026-01-00', to: '2026-01-01' }, 'from', 'YYYY-MM-DD'],
  ['year 0', { from: '0000-01-01', to: '2026-01-01' }, 'from', '1970 to 9998'],
  ['1969', { from: '1969-12-31', to: '2026-01-01' }, 'from', '1970 to 9998'],
  ['a year of five digits', { from: '2026-01-01', to: '10000-01-01' }, 'to', '1970 to 9998'],
  ['a date without zeros', { from: '2026-1-1', to: '2026-01-02' }, 'from', 'YYYY-MM-DD'],
  ['a date and a moment', { from: '2026-01-01', to: '2026-01-02T00:00:00Z' }, 'from', 'written like to'],
  ['a moment and a date', { from: '2026-01-01T00:00:00Z', to: '2026-01-02' }, 'from', 'written like to'],
  ['moments in the wrong order', { from: '1700000000001', to: '1700000000000' }, 'from', 'later than to'],
  ['a moment without offset', { from: '2026-03-01T00:00:00', to: '' }, 'from', 'with its offset'],
  ['a moment of 1969', { from: '1969-12-31T00:00:00Z', to: '1700000000000' }, 'from', '1970 to 9998'],
  ['the moment after 1 ms', { from: '1', to: '1700000000000' }, 'from', '1970 to 9998'],
  ['a moment of year 33658', { from: '1700000000000', to: '999999999999999' }, 'to', '1970 to 9998'],
  ['a moment of 17 digits', { from: '1700000000000', to: '99999999999999999' }, 'to', '1970 to 9998'],
  ['a date and a newline', { from: '2026-01-01\n', to: '2026-01-02' }, 'from', 'YYYY-MM-DD'],
  ['an empty date', { from: '', to: '' }, 'from', 'YYYY-MM-DD'],
  ['a list of dates', { from: ['2026-01-01'], to: '2026-01-02' }, 'from', 'YYYY-MM-DD'],
  ['a number', { from: 20260101, to: '2026-01-02' }, 'from', 'YYYY-MM-DD'],
])('range parameters refuse %s', (_, query, path, message) => {
  const { error } = RangeQuery.safeParse(query)
  expect(error?.issues[0]).toMatchObject({ path: [path], message: expect.stringContaining(message) })
})

test('range parameters are checked in a schema with more parameters, too', () => {
  const EventsQuery = RangeQuery.safeExtend({ page: z.coerce.number().default(1) })
  expect(EventsQuery.parse({ page: '2', range: 'all' })).toEqual({ page: 2, range: 'all' })
  expect(EventsQuery.safeParse({ page: '2', to: '2026-01-01' }).error?.issues[0]?.path).toEqual(['from'])
  expect(EventsQuery.safeParse({ range: 'ever' }).error?.issues[0]?.path).toEqual(['range'])
})

test('range parameters: a moment stands for the day of the site in which it lies', () => {
  const unix = (text: string) => String(Date.parse(text))
  for (const moments of [
    ['2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z'],
    ['2026-03-29T00:00:00+01:00', '2026-03-29T23:59:59+02:00'],
    [unix('2026-03-28T23:00:00Z'), unix('2026-03-29T21:59:59.999Z')],
  ] as [string, string][])
    expect(range(moments)).toEqual(range(['2026-03-29', '2026-03-29']))
  const days = { from: '2026-03-28', to: '2026-03-29' }
  expect(range(['2026-03-29T03:00:00Z', '2026-03-29T05:00:00Z'], NEW_YORK)).toMatchObject(days)
})

// 2026-04-10 12:00 UTC is a Friday.
test.each([
  ['today', '2026-04-10', '2026-04-10', 1, 'hour'],
  ['yesterday', '2026-04-09', '2026-04-09', 1, 'hour'],
  ['last_7_days', '2026-04-04', '2026-04-10', 7, 'day'],
  ['last_30_days', '2026-03-12', '2026-04-10', 30, 'day'],
  ['this_month', '2026-04-01', '2026-04-10', 10, 'day'],
  ['last_month', '2026-03-01', '2026-03-31', 31, 'day'],
  ['last_12_months', '2025-05-01', '2026-04-10', 345, 'month'],
  ['all', '2026-04-10', '2026-04-10', 1, 'hour'],
] as const)('range: %s is %s to %s: %i days by %s', (preset, from, to, days, group) => {
  const start = new Date(`${from}T00:00:00Z`)
  const end = new Date(Date.parse(`${to}T00:00:00Z`) + DAY)
  expect(range(preset, 'UTC')).toEqual({ zone: 'UTC', from, to, start, end, days, group })
})

test.each([
  ['Pacific/Kiritimati', '2026-04-11', '2026-04-10T10:00:00.000Z'],
  ['Pacific/Pago_Pago', '2026-04-10', '2026-04-10T11:00:00.000Z'],
  ['Asia/Kathmandu', '2026-04-10', '2026-04-09T18:15:00.000Z'],
  [BERLIN, '2026-04-10', '2026-04-09T22:00:00.000Z'],
  [NEW_YORK, '2026-04-10', '2026-04-10T04:00:00.000Z'],
])('range: today in %s is the day on local clocks, %s', (zone, day, start) => {
  expect(range('today', zone)).toMatchObject({ from: day, to: day, start: new Date(start) })
})

test.each([
  ['this_month', '2026-03-31T22:30:00Z', '2026-04-01', '2026-04-01', 'hour'],
  ['last_month', '2026-03-31T22:30:00Z', '2026-03-01', '2026-03-31', 'day'],
  ['last_month', '2026-01-15T12:00:00Z', '2025-12-01', '2025-12-31', 'day'],
  ['last_month', '2024-03-31T12:00:00Z', '2024-02-01', '2024-02-29', 'day'],
  ['last_12_months', '2025-12-31T12:00:00Z', '2025-01-01', '2025-12-31', 'month'],
  ['last_12_months', '2024-12-31T23:30:00Z', '2024-02-01', '2025-01-01', 'month'],
  ['last_12_months', '2024-12-31T22:30:00Z', '2024-01-01', '2024-12-31', 'month'],
] as const)('range: %s at %s in Berlin is %s to %s by %s', (preset, now, from, to, group) => {
  expect(range(preset, BERLIN, now)).toMatchObject({ from, to, group })
})

test.each([
  ['the local day of the first event', '2026-04-01T22:30:00Z', '2026-04-02', 9],
  ['today when the first event came today', '2026-04-10T11:00:00Z', '2026-04-10', 1],
  ['today when the first event lies ahead', '2026-04-12T11:00:00Z', '2026-04-10', 1],
  ['today when there is no event', null, '2026-04-10', 1],
])('range: all begins with %s', (_, firstEventAt, from, days) => {
  const expected = { from, to: '2026-04-10', days }
  expect(range('all', BERLIN, '2026-04-10T12:00:00Z', firstEventAt)).toMatchObject(expected)
})

test.each([
  ['hour', 1, 2],
  ['day', 3, 92],
  ['week', 93, 366],
  ['month', 367, 4000],
])('a range is grouped by %s from %i to %i days', (group, ...lengths) => {
  for (const days of lengths) {
    const to = new Date(Date.UTC(2024, 0, 1) + (days - 1) * DAY).toISOString().slice(0, 10)
    expect(range(['2024-01-01', to])).toMatchObject({ days, group })
  }
})

test.each([
  ['begins at 01:00 in Sao Paulo where clocks skipped midnight', 'America/Sao_Paulo', '2018-11-04', 3, 23],
  ['ends an hour later in Sao Paulo where 23:00 came twice', 'America/Sao_Paulo', '2018-02-17', 2, 25],
  ['begins at 01:00 in Cairo where clocks skipped midnight', 'Africa/Cairo', '2024-04-26', 22, 23],
  ['has 25 hours in Havana where midnight came twice', 'America/Havana', '2024-11-03', 4, 25],
  ['has 23.5 hours on Lord Howe in spring', LORD_HOWE, '2025-10-05', 13.5, 23.5],
  ['has 24.5 hours on Lord Howe in autumn', LORD_HOWE, '2026-04-05', 13, 24.5],
  ['has 25 hours in Casablanca when Ramadan begins', 'Africa/Casablanca', '2026-02-15', 23, 25],
  ['has 23 hours in Casablanca when Ramadan is over', 'Africa/Casablanca', '2026-03-22', 0, 23],
  ['has 24 hours on 29 February', 'UTC', '2024-02-29', 0, 24],
])('a range of one day %s', (_, zone, day, startHour, hours) => {
  const { start, end, days } = range([day, day], zone)
  expect(start.getUTCHours() + start.getUTCMinutes() / 60).toBe(startHour)
  expect([days, (end.getTime() - start.getTime()) / HOUR]).toEqual([1, hours])
})

test('a range counts the day that Apia skipped as a day of 0 hours, and needs a known zone', () => {
  expect(() => range('today', 'Europe/Potsdam')).toThrow('Europe/Potsdam')
  expect(range(['2011-12-29', '2011-12-31'], 'Pacific/Apia')).toMatchObject({
    days: 3,
    start: new Date('2011-12-29T10:00:00Z'),
    end: new Date('2011-12-31T10:00:00Z'),
  })
  const skipped = range(['2011-12-30', '2011-12-30'], 'Pacific/Apia')
  expect(skipped.days).toBe(1)
  expect(skipped.start).toEqual(skipped.end)
  expect(buckets(skipped)).toEqual([])
})

test('buckets of a range: the buckets of a day of 24 hours are its hours', () => {
  const hours = labels('today')
  expect(hours).toHaveLength(24)
  expect(hours.slice(0, 2)).toEqual(['2026-04-10T00:00:00+02:00', '2026-04-10T01:00:00+02:00'])
  expect(hours.at(-1)).toBe('2026-04-10T23:00:00+02:00')
})

test.each([
  ['of UTC are labelled with +00:00', 'UTC', '2026-04-10', 24, 0, '00:00+00:00 01:00+00:00'],
  ['leave out a skipped hour', BERLIN, '2026-03-29', 23, 0, '00:00+01:00 01:00+01:00 03:00+02:00'],
  ['contain a repeated hour twice', BERLIN, '2025-10-26', 25, 2, '02:00+02:00 02:00+01:00'],
  ['begin at 01:00 when midnight is skipped', 'America/Sao_Paulo', '2018-11-04', 23, 0, '01:00-02:00'],
  ['contain an hour of 30 minutes', LORD_HOWE, '2025-10-05', 24, 1, '01:00+10:30 02:30+11:00 03:00+11:00'],
  ['begin on full hours of their zone', 'Asia/Kolkata', '2026-04-10', 24, 0, '00:00+05:30 01:00+05:30'],
  ['of offsets with seconds begin on quarter hours', 'Africa/Monrovia', '1971-01-01', 24, 0, '00:00-00:45'],
])('buckets of a range: buckets of a day %s', (_, zone, day, count, at, expected) => {
  const hours = labels([day, day], zone).map(label => label.slice(11, 16) + label.slice(19))
  expect(hours).toHaveLength(count)
  expect(hours.slice(at).join(' ').slice(0, expected.length)).toBe(expected)
})

test('buckets of a range: buckets of Lord Howe contain an hour of 30 minutes in spring and of 90 in autumn', () => {
  expect(lengths(['2025-10-05', '2025-10-05'], LORD_HOWE)).toEqual([60, 60, 30, ...Array(21).fill(60)])
  expect(lengths(['2026-04-05', '2026-04-05'], LORD_HOWE)).toEqual([60, 90, ...Array(22).fill(60)])
})

test('buckets of a range: buckets of days begin at midnight, or later when clocks skip it', () => {
  expect(labels(['2018-11-02', '2018-11-05'], 'America/Sao_Paulo')[2]).toBe('2018-11-04T01:00:00-02:00')
  // Apia skipped 30 December.
  expect(labels(['2011-12-28', '2011-12-31'], 'Pacific/Apia')).toEqual([
    '2011-12-28T00:00:00-10:00',
    '2011-12-29T00:00:00-10:00',
    '2011-12-31T00:00:00+14:00',
  ])
})

test('buckets of weeks begin on Mondays, the first one at the start of the range', () => {
  const weeks = labels(['2026-01-01', '2026-04-10'])
  expect(weeks).toHaveLength(15)
  expect(weeks.slice(0, 2)).toEqual(['2026-01-01T00:00:00+01:00', '2026-01-05T00:00:00+01:00'])
  expect(weeks.slice(-2)).toEqual(['2026-03-30T00:00:00+02:00', '2026-04-06T00:00:00+02:00'])
})

test('buckets of months begin on the first day, the first one at the start of the range', () => {
  const months = labels(['2024-12-31', '2026-02-01'])
  expect(months).toHaveLength(15)
  expect(months.slice(0, 2)).toEqual(['2024-12-31T00:00:00+01:00', '2025-01-01T00:00:00+01:00'])
  expect(months[7]).toBe('2025-07-01T00:00:00+02:00')
  expect(labels('last_12_months')).toHaveLength(12)
})

test('buckets of a range: buckets of the far future follow the same clock changes as the near future', () => {
  const day = lengths(['2826-03-29', '2826-03-29'])
  expect(day).toEqual(lengths(['2426-03-29', '2426-03-29']))
  expect(day).toHaveLength(23)
})

// Expected local days come from Intl, not from the code under test.
const clockDay = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at)

const anyZone = fc.constantFrom(...allZones())
const anyDay = fc
  .integer({ min: Date.UTC(2015, 0, 1) / DAY, max: Date.UTC(2030, 11, 31) / DAY })
  .map(day => new Date(day * DAY).toISOString().slice(0, 10))
const anyRange = fc
  .tuple(anyZone, anyDay, fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 800 })))
  .map(([zone, from, more]) => {
    const to = new Date(Date.parse(from) + more * DAY).toISOString().slice(0, 10)
    return range([from, to], zone)
  })

test('ranges in every time zone: buckets tile their range, their labels are their starts, and the previous range ends where it begins', () => {
  fc.assert(
    fc.property(anyRange, current => {
      let at = current.start.getTime()
      const all = buckets(current)
      for (const { start, end, label } of all) {
        expect(start.getTime()).toBe(at)
        expect(end.getTime()).toBeGreaterThan(at)
        expect(label).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00[+-]\d\d:\d\d$/)
        expect(Date.parse(label)).toBe(at)
        at = end.getTime()
      }
      expect(at).toBe(current.end.getTime())
      expect(all[0]?.label.slice(0, 10)).toBe(current.from)
      const previous = previousRange(current)
      expect(previous.end).toEqual(current.start)
      expect([previous.days, previous.group]).toEqual([current.days, current.group])
      expect(Date.parse(current.from) - Date.parse(previous.to)).toBe(DAY)
      expect(Date.parse(current.from) - Date.parse(previous.from)).toBe(current.days * DAY)
    }),
    { numRuns: runs(500) },
  )
})

test('ranges in every time zone: days begin when the local date changes', () => {
  fc.assert(
    fc.property(anyRange, ({ zone, from, to, start, end }) => {
      expect(clockDay(zone, start.getTime())).toBe(from)
      expect(clockDay(zone, start.getTime() - 1) < from).toBe(true)
      expect(clockDay(zone, end.getTime() - 1)).toBe(to)
    }),
    { numRuns: runs(2000) },
  )
})

const YEARS = 16
const YEARS_OF_EACH_ZONE = Math.min(YEARS, runs(3))
test(`ranges in every time zone: in ${YEARS_OF_EACH_ZONE} of the years 2015 to 2030 every day and hour of each zone begins on a quarter of an hour`, () => {
  for (const [index, zone] of Intl.supportedValuesOf('timeZone').entries()) {
    for (let turn = 0; turn < YEARS_OF_EACH_ZONE; turn += 1) {
      const year = 2015 + ((index + turn * 5) % YEARS)
      const days = buckets({ ...range([`${year}-01-01`, `${year}-12-31`], zone), group: 'day' })
      const odd = days.filter(day => day.start.getTime() % (15 * MINUTE) !== 0)
      expect(odd, zone).toEqual([])
      for (const day of days.filter(({ start, end }) => end.getTime() - start.getTime() !== DAY)) {
        const local = day.label.slice(0, 10)
        const hours = buckets(range([local, local], zone))
        const oddHours = hours.filter(hour => hour.start.getTime() % (15 * MINUTE) !== 0)
        expect(oddHours, zone).toEqual([])
      }
    }
  }
})
