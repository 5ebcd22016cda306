import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { RANGE_PRESETS, type RangePreset } from '../../src/time/presets.ts'
import { buckets, previousRange, RangeQuery, resolveRange } from '../../src/time/range.ts'
import { allZones } from '../../src/time/zones.ts'
import { runs } from '../support/runs.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Returns a range by preset, or by its first and last day. */
function range(
  days: RangePreset | [from: string, to: string],
  zone: string,
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

describe('range parameters', () => {
  test('default to today', () => {
    expect(RangeQuery.parse({})).toEqual({ range: 'today' })
  })

  test.each(RANGE_PRESETS)('range parameters accept the preset %s', preset => {
    expect(RangeQuery.parse({ range: preset })).toEqual({ range: preset })
  })

  test.each([
    ['an unknown preset', 'last_5_days'],
    ['an empty preset', ''],
    ['a list', ['today', 'yesterday']],
    ['null', null],
  ])('range parameters ignore the preset when from and to are given: %s', (_, preset) => {
    const query = { range: preset, from: '2026-01-01', to: '2026-01-31' }
    expect(RangeQuery.parse(query)).toMatchObject({ from: '2026-01-01', to: '2026-01-31' })
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
    ['30 February', { from: '2026-02-30', to: '2026-03-01' }, 'from', 'YYYY-MM-DD'],
    ['29 February of a common year', { from: '2026-01-01', to: '2026-02-29' }, 'to', 'YYYY-MM-DD'],
    ['a 13th month', { from: '2026-01-01', to: '2026-13-01' }, 'to', 'YYYY-MM-DD'],
    ['day 0', { from: '2026-01-00', to: '2026-01-01' }, 'from', 'YYYY-MM-DD'],
    ['year 0', { from: '0000-01-01', to: '2026-01-01' }, 'from', '1970 to 9998'],
    ['1969', { from: '1969-12-31', to: '2026-01-01' }, 'from', '1970 to 9998'],
    ['a year of five digits', { from: '2026-01-01', to: '10000-01-01' }, 'to', '1970 to 9998'],
    ['a date without zeros', { from: '2026-1-1', to: '2026-01-02' }, 'from', 'YYYY-MM-DD'],
    ['a date and a time', { from: '2026-01-01T00:00:00Z', to: '2026-01-02' }, 'from', 'YYYY-MM-DD'],
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

  test('range parameters accept 29 February in a leap year', () => {
    expect(range(['2024-02-29', '2024-02-29'], 'UTC').days).toBe(1)
  })
})

describe('range', () => {
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
  ] as const)('%s is %s to %s: %i days by %s', (preset, from, to, days, group) => {
    expect(range(preset, 'UTC')).toEqual({
      zone: 'UTC',
      from,
      to,
      start: new Date(`${from}T00:00:00Z`),
      end: new Date(Date.parse(`${to}T00:00:00Z`) + DAY),
      days,
      group,
    })
  })

  test.each([
    ['Pacific/Kiritimati', '2026-04-11', '2026-04-10T10:00:00.000Z'],
    ['Pacific/Pago_Pago', '2026-04-10', '2026-04-10T11:00:00.000Z'],
    ['Asia/Kathmandu', '2026-04-10', '2026-04-09T18:15:00.000Z'],
    ['Europe/Berlin', '2026-04-10', '2026-04-09T22:00:00.000Z'],
    ['America/New_York', '2026-04-10', '2026-04-10T04:00:00.000Z'],
  ])('today in %s is the day on local clocks, %s', (zone, day, start) => {
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
  ] as const)('%s at %s in Berlin is %s to %s by %s', (preset, now, from, to, group) => {
    expect(range(preset, 'Europe/Berlin', now)).toMatchObject({ from, to, group })
  })

  test.each([
    ['the local day of the first event', '2026-04-01T22:30:00Z', '2026-04-02', 9],
    ['today when the first event came today', '2026-04-10T11:00:00Z', '2026-04-10', 1],
    ['today when the first event lies ahead', '2026-04-12T11:00:00Z', '2026-04-10', 1],
    ['today when there is no event', null, '2026-04-10', 1],
  ])('all begins with %s', (_, firstEventAt, from, days) => {
    expect(range('all', 'Europe/Berlin', '2026-04-10T12:00:00Z', firstEventAt)).toMatchObject({
      from,
      to: '2026-04-10',
      days,
    })
  })

  test.each([
    [1, 'hour'],
    [2, 'hour'],
    [3, 'day'],
    [92, 'day'],
    [93, 'week'],
    [366, 'week'],
    [367, 'month'],
    [4000, 'month'],
  ])('a range of %i days is grouped by %s', (days, group) => {
    const to = new Date(Date.UTC(2024, 0, 1) + (days - 1) * DAY).toISOString().slice(0, 10)
    expect(range(['2024-01-01', to], 'Europe/Berlin')).toMatchObject({ days, group })
  })

  test('a range from `from` and `to` ignores the grouping of a preset', () => {
    const query = RangeQuery.parse({ range: 'last_12_months', from: '2026-04-09', to: '2026-04-09' })
    const clock = { zone: 'UTC', now: new Date('2026-04-10T12:00:00Z'), firstEventAt: null }
    expect(resolveRange(query, clock).group).toBe('hour')
  })

  test.each([
    ['begins at 01:00 in Sao Paulo where clocks skipped midnight', 'America/Sao_Paulo', '2018-11-04', 3, 23],
    ['ends an hour later in Sao Paulo where 23:00 came twice', 'America/Sao_Paulo', '2018-02-17', 2, 25],
    ['begins at 01:00 in Cairo where clocks skipped midnight', 'Africa/Cairo', '2024-04-26', 22, 23],
    ['has 25 hours in Cairo where 23:00 came twice', 'Africa/Cairo', '2024-10-31', 21, 25],
    ['begins at 01:00 in Beirut where clocks skipped midnight', 'Asia/Beirut', '2022-03-27', 22, 23],
    ['has 25 hours in Havana where midnight came twice', 'America/Havana', '2024-11-03', 4, 25],
    ['has 23.5 hours on Lord Howe in spring', 'Australia/Lord_Howe', '2025-10-05', 13.5, 23.5],
    ['has 24.5 hours on Lord Howe in autumn', 'Australia/Lord_Howe', '2026-04-05', 13, 24.5],
    ['has 25 hours in Casablanca when Ramadan begins', 'Africa/Casablanca', '2026-02-15', 23, 25],
    ['has 23 hours in Casablanca when Ramadan is over', 'Africa/Casablanca', '2026-03-22', 0, 23],
  ])('a range of one day %s', (_, zone, day, startHour, hours) => {
    const { start, end } = range([day, day], zone)
    expect(start.getUTCHours() + start.getUTCMinutes() / 60).toBe(startHour)
    expect((end.getTime() - start.getTime()) / HOUR).toBe(hours)
  })

  test('a range counts the day that Apia skipped as a day of 0 hours', () => {
    expect(range(['2011-12-29', '2011-12-31'], 'Pacific/Apia')).toMatchObject({
      days: 3,
      start: new Date('2011-12-29T10:00:00Z'),
      end: new Date('2011-12-31T10:00:00Z'),
    })
    const left = range(['2011-12-30', '2011-12-30'], 'Pacific/Apia')
    expect(left.days).toBe(1)
    expect(left.start).toEqual(left.end)
    expect(buckets(left)).toEqual([])
  })

  test('a range in an unknown zone is refused', () => {
    expect(() => range('today', 'Europe/Potsdam')).toThrow('Europe/Potsdam')
  })
})

describe('previous range', () => {
  test.each([
    ['today', '2026-04-09', '2026-04-09'],
    ['yesterday', '2026-04-08', '2026-04-08'],
    ['last_7_days', '2026-03-28', '2026-04-03'],
    ['last_month', '2026-01-29', '2026-02-28'],
    ['this_month', '2026-03-22', '2026-03-31'],
  ] as const)('the previous range of %s is %s to %s', (preset, from, to) => {
    const current = range(preset, 'Europe/Berlin')
    const previous = previousRange(current)
    expect(previous).toMatchObject({ from, to, days: current.days, group: current.group })
    expect(previous.end).toEqual(current.start)
  })

  test('the previous range has the same number of days, not of hours, across a clock change', () => {
    const previous = previousRange(range(['2026-03-30', '2026-03-30'], 'Europe/Berlin'))
    expect(previous.from).toBe('2026-03-29')
    expect(previous.end.getTime() - previous.start.getTime()).toBe(23 * HOUR)
  })

  test('the previous range of eight thousand years begins at a date that the database can store', () => {
    const current = range(['1970-01-01', '9998-12-31'], 'Asia/Tokyo')
    expect(previousRange(current)).toMatchObject({ from: '1900-01-01', to: '1969-12-31', days: current.days })
  })
})

describe('buckets of a range', () => {
  test('the buckets of a day of 24 hours are its hours', () => {
    const hours = labels('today', 'Europe/Berlin')
    expect(hours).toHaveLength(24)
    expect(hours.slice(0, 2)).toEqual(['2026-04-10T00:00:00+02:00', '2026-04-10T01:00:00+02:00'])
    expect(hours.at(-1)).toBe('2026-04-10T23:00:00+02:00')
  })

  test('buckets of UTC are labelled with +00:00', () => {
    expect(labels('today', 'UTC')[0]).toBe('2026-04-10T00:00:00+00:00')
  })

  test('buckets leave out a skipped hour', () => {
    const hours = labels(['2026-03-29', '2026-03-29'], 'Europe/Berlin')
    expect(hours).toHaveLength(23)
    expect(hours.slice(0, 3)).toEqual([
      '2026-03-29T00:00:00+01:00',
      '2026-03-29T01:00:00+01:00',
      '2026-03-29T03:00:00+02:00',
    ])
  })

  test('buckets contain a repeated hour twice', () => {
    const hours = labels(['2025-10-26', '2025-10-26'], 'Europe/Berlin')
    expect(hours).toHaveLength(25)
    expect(hours.slice(2, 4)).toEqual(['2025-10-26T02:00:00+02:00', '2025-10-26T02:00:00+01:00'])
  })

  test('buckets begin at 01:00 when clocks skip midnight', () => {
    const hours = labels(['2018-11-03', '2018-11-04'], 'America/Sao_Paulo')
    expect(hours).toHaveLength(47)
    expect(hours.slice(23, 25)).toEqual(['2018-11-03T23:00:00-03:00', '2018-11-04T01:00:00-02:00'])
    expect(labels(['2018-11-02', '2018-11-05'], 'America/Sao_Paulo')[2]).toBe('2018-11-04T01:00:00-02:00')
  })

  test('buckets of Lord Howe contain an hour of 30 minutes in spring and of 90 in autumn', () => {
    const spring = lengths(['2025-10-05', '2025-10-05'], 'Australia/Lord_Howe')
    expect(spring).toEqual([60, 60, 30, ...Array(21).fill(60)])
    expect(labels(['2025-10-05', '2025-10-05'], 'Australia/Lord_Howe')[2]).toBe('2025-10-05T02:30:00+11:00')
    const autumn = lengths(['2026-04-05', '2026-04-05'], 'Australia/Lord_Howe')
    expect(autumn).toEqual([60, 90, ...Array(22).fill(60)])
  })

  test('buckets of a zone with a half-hour offset begin on its own full hours', () => {
    const hours = labels('today', 'Asia/Kolkata')
    expect(hours[1]).toBe('2026-04-10T01:00:00+05:30')
  })

  test('buckets leave out the day that Apia skipped', () => {
    expect(labels(['2011-12-28', '2011-12-31'], 'Pacific/Apia')).toEqual([
      '2011-12-28T00:00:00-10:00',
      '2011-12-29T00:00:00-10:00',
      '2011-12-31T00:00:00+14:00',
    ])
  })

  test('buckets of weeks begin on Mondays, the first one at the start of the range', () => {
    const weeks = labels(['2026-01-01', '2026-04-10'], 'Europe/Berlin')
    expect(weeks).toHaveLength(15)
    expect(weeks.slice(0, 2)).toEqual(['2026-01-01T00:00:00+01:00', '2026-01-05T00:00:00+01:00'])
    expect(weeks.slice(-2)).toEqual(['2026-03-30T00:00:00+02:00', '2026-04-06T00:00:00+02:00'])
  })

  test('buckets of months begin on the first day, the first one at the start of the range', () => {
    const months = labels(['2024-12-31', '2026-02-01'], 'Europe/Berlin')
    expect(months).toHaveLength(15)
    expect(months.slice(0, 2)).toEqual(['2024-12-31T00:00:00+01:00', '2025-01-01T00:00:00+01:00'])
    expect(months[7]).toBe('2025-07-01T00:00:00+02:00')
    expect(labels('last_12_months', 'Europe/Berlin')).toHaveLength(12)
  })

  test('buckets of a past offset with seconds still begin on quarter hours', () => {
    expect(labels(['1971-01-01', '1971-01-01'], 'Africa/Monrovia')[0]).toBe('1971-01-01T00:00:00-00:45')
  })

  test('buckets of the far future follow the same clock changes as the near future', () => {
    const day = lengths(['2826-03-29', '2826-03-29'], 'Europe/Berlin')
    expect(day).toEqual(lengths(['2426-03-29', '2426-03-29'], 'Europe/Berlin'))
    expect(day).toHaveLength(23)
  })
})

describe('ranges in every time zone', () => {
  // Expected local days come from Intl, not from the code under test.
  const clocks = new Map<string, Intl.DateTimeFormat>()
  function clockDay(zone: string, at: number): string {
    let clock = clocks.get(zone)
    if (!clock) {
      clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
      clocks.set(zone, clock)
    }
    return clock.format(at)
  }

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

  test('buckets tile their range: no gap, no overlap, no instant outside', () => {
    fc.assert(
      fc.property(anyRange, current => {
        let at = current.start.getTime()
        for (const { start, end } of buckets(current)) {
          expect(start.getTime()).toBe(at)
          expect(end.getTime()).toBeGreaterThan(at)
          at = end.getTime()
        }
        expect(at).toBe(current.end.getTime())
      }),
      { numRuns: 500 },
    )
  })

  test('labels parse to the starts of their buckets', () => {
    fc.assert(
      fc.property(anyRange, current => {
        for (const { label, start } of buckets(current)) {
          expect(label).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00[+-]\d\d:\d\d$/)
          expect(Date.parse(label)).toBe(start.getTime())
        }
      }),
      { numRuns: 500 },
    )
  })

  test('the first label is on the first day of the range', () => {
    fc.assert(
      fc.property(anyRange, current => {
        expect(buckets(current)[0]?.label.slice(0, 10)).toBe(current.from)
      }),
    )
  })

  test('the previous range ends where the range begins and has as many days', () => {
    fc.assert(
      fc.property(anyRange, current => {
        const previous = previousRange(current)
        expect(previous.end).toEqual(current.start)
        expect(previous.days).toBe(current.days)
        expect(Date.parse(current.from) - Date.parse(previous.from)).toBe(current.days * DAY)
      }),
    )
  })

  test('days begin when the local date changes', () => {
    fc.assert(
      fc.property(anyRange, ({ zone, from, to, start, end }) => {
        expect(clockDay(zone, start.getTime())).toBe(from)
        expect(clockDay(zone, start.getTime() - 1) < from).toBe(true)
        expect(clockDay(zone, end.getTime() - 1)).toBe(to)
      }),
      { numRuns: 2000 },
    )
  })

  test('hour buckets last 15 to 90 minutes, and at most two of a day differ from 60', () => {
    fc.assert(
      fc.property(anyZone, anyDay, (zone, day) => {
        const minutes = lengths([day, day], zone)
        expect(minutes.filter(length => length !== 60).length).toBeLessThanOrEqual(2)
        for (const length of minutes) expect([15, 30, 45, 60, 90]).toContain(length)
      }),
      { numRuns: 2000 },
    )
  })

  const YEARS = 16
  const YEARS_OF_EACH_ZONE = Math.min(YEARS, runs(3))
  test(`in ${YEARS_OF_EACH_ZONE} of the years 2015 to 2030 every day and hour of each zone begins on a quarter of an hour`, () => {
    for (const [index, zone] of Intl.supportedValuesOf('timeZone').entries()) {
      for (let turn = 0; turn < YEARS_OF_EACH_ZONE; turn += 1) {
        const year = 2015 + ((index + turn * 5) % YEARS)
        const days = buckets({ ...range([`${year}-01-01`, `${year}-12-31`], zone), group: 'day' })
        const odd = days.filter(day => day.start.getTime() % (15 * MINUTE) !== 0)
        expect(odd, zone).toEqual([])
        for (const day of days.filter(({ start, end }) => end.getTime() - start.getTime() !== DAY)) {
          const local = day.label.slice(0, 10)
          const hours = buckets(range([local, local], zone))
          expect(
            hours.filter(hour => hour.start.getTime() % (15 * MINUTE) !== 0),
            zone,
          ).toEqual([])
        }
      }
    }
  })
})
