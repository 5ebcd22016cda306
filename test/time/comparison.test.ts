import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StatsQuery } from '../../src/stats/filters/query.ts'
import { checkComparison, comparedRange, compareFields } from '../../src/time/comparison.ts'
import { buckets, groupField, resolveRange, seriesBuckets } from '../../src/time/range.ts'
import { allZones } from '../../src/time/zones.ts'
import { lastHours } from '../support/recount-comparison.ts'

const Query = StatsQuery.safeExtend({ ...compareFields, ...groupField }).superRefine(checkComparison)
type Given = Record<string, unknown>

const HOUR = 3_600_000

function rangeOf(given: Given, zone = 'UTC', now = '2026-04-10T12:20:00Z') {
  const query = Query.parse(given)
  const clock = { zone, now: new Date(now), firstEventAt: null }
  const range = resolveRange(query, clock)
  return { range, compared: comparedRange(query, range, clock) }
}

/** Returns the compared period: its dates, and its bounds in UTC. */
function compared(given: Given, zone?: string, now?: string): string[] {
  const { from, to, start, end } = rangeOf(given, zone, now).compared!
  return [from, to, start.toISOString().slice(0, 16), end.toISOString().slice(0, 16)]
}
const datesOf = (...args: Parameters<typeof compared>) => compared(...args).slice(0, 2)

describe('parameters of a comparison', () => {
  test.each<[string, Given, string, string]>([
    [
      'an unknown comparison',
      { compare: 'year' },
      'compare',
      'must be one of previous, previous_year, custom',
    ],
    ['an empty comparison', { compare: '' }, 'compare', 'must be one of'],
    ['custom without days', { compare: 'custom' }, 'compare_from', 'is required'],
    [
      'custom without its last day',
      { compare: 'custom', compare_from: '2026-01-01' },
      'compare_to',
      'is required',
    ],
    [
      'days without custom',
      { compare_from: '2026-01-01', compare_to: '2026-01-02' },
      'compare_from',
      'needs compare=custom',
    ],
    [
      'days with previous',
      { compare: 'previous', compare_to: '2026-01-02' },
      'compare_to',
      'needs compare=custom',
    ],
    [
      'days in the wrong order',
      { compare: 'custom', compare_from: '2026-01-02', compare_to: '2026-01-01' },
      'compare_from',
      'later than compare_to',
    ],
    [
      '30 February',
      { compare: 'custom', compare_from: '2026-02-30', compare_to: '2026-03-01' },
      'compare_from',
      'YYYY-MM-DD',
    ],
    [
      '1969',
      { compare: 'custom', compare_from: '1969-12-31', compare_to: '2026-03-01' },
      'compare_from',
      '1970 to 9998',
    ],
    ['match_weekday alone', { match_weekday: 'true' }, 'match_weekday', 'needs compare'],
    ['match_weekday that is false, alone', { match_weekday: 'false' }, 'match_weekday', 'needs compare'],
    [
      'match_weekday with custom',
      { compare: 'custom', compare_from: '2026-01-01', compare_to: '2026-01-01', match_weekday: 'true' },
      'match_weekday',
      'needs compare',
    ],
    [
      'match_weekday that is no boolean',
      { compare: 'previous', match_weekday: 'yes' },
      'match_weekday',
      'must be true or false',
    ],
    ['an unknown group', { group: 'quarter' }, 'group', 'must be one of hour, day, week, month'],
  ])('comparison: %s is refused', (_, given, path, message) => {
    const { error } = Query.safeParse(given)
    expect(error?.issues[0]).toMatchObject({ path: [path], message: expect.stringContaining(message) })
  })

  test('comparison: without compare there is none', () => {
    expect(rangeOf({ range: 'last_7_days' }).compared).toBeUndefined()
  })
})

describe('compared period', () => {
  const march = { from: '2026-03-02', to: '2026-03-11' }
  test.each<[string, Given, string, string]>([
    ['previous: as many days just before', { ...march, compare: 'previous' }, '2026-02-20', '2026-03-01'],
    [
      'previous by weekday: 10 days move by two weeks',
      { ...march, compare: 'previous', match_weekday: 'true' },
      '2026-02-16',
      '2026-02-25',
    ],
    [
      'previous by weekday: 7 days move by one week',
      { range: 'last_7_days', compare: 'previous', match_weekday: true },
      '2026-03-28',
      '2026-04-03',
    ],
    [
      'previous by weekday: yesterday moves by one week',
      { range: 'yesterday', compare: 'previous', match_weekday: 'true' },
      '2026-04-02',
      '2026-04-02',
    ],
    [
      'previous that need not match weekdays',
      { ...march, compare: 'previous', match_weekday: 'false' },
      '2026-02-20',
      '2026-03-01',
    ],
    ['previous_year: the same dates', { ...march, compare: 'previous_year' }, '2025-03-02', '2025-03-11'],
    [
      'previous_year by weekday: 364 days before',
      { ...march, compare: 'previous_year', match_weekday: 'true' },
      '2025-03-03',
      '2025-03-12',
    ],
    [
      'previous_year from 29 February',
      { from: '2024-02-29', to: '2024-03-31', compare: 'previous_year' },
      '2023-02-28',
      '2023-03-31',
    ],
    [
      'previous_year to 29 February',
      { from: '2024-02-01', to: '2024-02-29', compare: 'previous_year' },
      '2023-02-01',
      '2023-02-28',
    ],
    [
      'previous_year of 29 February alone',
      { from: '2024-02-29', to: '2024-02-29', compare: 'previous_year' },
      '2023-02-28',
      '2023-02-28',
    ],
    [
      'previous_year by weekday of 29 February',
      { from: '2024-02-29', to: '2024-02-29', compare: 'previous_year', match_weekday: 'true' },
      '2023-03-02',
      '2023-03-02',
    ],
    [
      'previous_year across 29 February has a day less',
      { from: '2024-02-28', to: '2024-03-01', compare: 'previous_year' },
      '2023-02-28',
      '2023-03-01',
    ],
    [
      'previous_year to the day after a 29 February',
      { from: '2025-02-28', to: '2025-03-01', compare: 'previous_year' },
      '2024-02-28',
      '2024-03-01',
    ],
    [
      'previous_year before 1970',
      { from: '1970-01-01', to: '1970-01-31', compare: 'previous_year' },
      '1969-01-01',
      '1969-01-31',
    ],
    [
      'custom: the given days, also later ones',
      { ...march, compare: 'custom', compare_from: '2026-03-05', compare_to: '2027-01-01' },
      '2026-03-05',
      '2027-01-01',
    ],
    [
      'previous of a preset that contains today and more',
      { range: 'this_month', compare: 'previous' },
      '2026-03-22',
      '2026-03-31',
    ],
  ])('comparison with %s', (_, given, from, to) => {
    const { range, compared } = rangeOf(given)
    expect(compared).toMatchObject({ from, to, start: new Date(`${from}T00:00:00Z`), group: range.group })
    expect(compared!.end).toEqual(new Date(Date.parse(`${to}T00:00:00Z`) + 24 * HOUR))
  })

  test('comparison: the longest range with a comparison begins where the database can store it', () => {
    const all = { from: '1970-01-01', to: '9998-12-31' }
    expect(datesOf({ ...all, compare: 'previous' })).toEqual(['1900-01-01', '1969-12-31'])
    expect(datesOf({ ...all, compare: 'previous', match_weekday: 'true' })[0]).toBe('1900-01-01')
    expect(datesOf({ ...all, compare: 'previous_year' })).toEqual(['1969-01-01', '9997-12-31'])
  })
})

describe('comparison of today', () => {
  test.each<[string, Given, string[]]>([
    [
      'previous',
      { range: 'today', compare: 'previous' },
      ['2026-04-09', '2026-04-09', '2026-04-08T22:00', '2026-04-09T13:00'],
    ],
    [
      'previous by weekday',
      { compare: 'previous', match_weekday: 'true' },
      ['2026-04-03', '2026-04-03', '2026-04-02T22:00', '2026-04-03T13:00'],
    ],
    [
      'previous_year',
      { compare: 'previous_year' },
      ['2025-04-10', '2025-04-10', '2025-04-09T22:00', '2025-04-10T13:00'],
    ],
    [
      'the dates of today',
      { from: '2026-04-10', to: '2026-04-10', compare: 'previous' },
      ['2026-04-09', '2026-04-09', '2026-04-08T22:00', '2026-04-09T13:00'],
    ],
  ])('comparison: %s ends at the end of the current clock hour', (_, given, expected) => {
    expect(compared(given, 'Europe/Berlin')).toEqual(expected)
  })

  test('comparison: custom of today is of whole days', () => {
    const given = { compare: 'custom', compare_from: '2026-04-09', compare_to: '2026-04-09' }
    expect(compared(given)).toEqual(['2026-04-09', '2026-04-09', '2026-04-09T00:00', '2026-04-10T00:00'])
  })

  test('comparison: on the first of a month this_month is today', () => {
    const given = { range: 'this_month', compare: 'previous' }
    expect(compared(given, 'UTC', '2026-04-01T05:59:59Z')[3]).toBe('2026-03-31T06:00')
  })

  test.each<[string, string, string, string, string]>([
    ['just before the hour', 'UTC', '2026-04-10T12:59:59.999Z', 'previous', '2026-04-09T13:00'],
    ['at the hour', 'UTC', '2026-04-10T13:00:00Z', 'previous', '2026-04-09T14:00'],
    ['in the last hour: the whole day', 'UTC', '2026-04-10T23:30:00Z', 'previous', '2026-04-10T00:00'],
    ['with a half-hour offset', 'Asia/Kolkata', '2026-04-10T12:20:00Z', 'previous', '2026-04-09T12:30'],
    // 29 March 2026 had no 02:00 to 03:00 in Berlin: 01:00 UTC is 03:00.
    [
      'of a day that skipped the hour',
      'Europe/Berlin',
      '2026-03-30T00:30:00Z',
      'previous',
      '2026-03-29T01:00',
    ],
    [
      'on the day that skipped an hour',
      'Europe/Berlin',
      '2026-03-29T01:30:00Z',
      'previous',
      '2026-03-28T03:00',
    ],
    // 25 October 2026 had 02:00 to 03:00 twice: until 01:00 UTC and until 02:00 UTC.
    [
      'of a day that repeated the hour',
      'Europe/Berlin',
      '2026-10-26T01:30:00Z',
      'previous',
      '2026-10-25T02:00',
    ],
    [
      'of a day that repeated the hour after',
      'Europe/Berlin',
      '2026-10-26T00:30:00Z',
      'previous',
      '2026-10-25T00:00',
    ],
    ['in the first of two hours', 'Europe/Berlin', '2026-10-25T00:30:00Z', 'previous', '2026-10-24T01:00'],
    ['in the second of two hours', 'Europe/Berlin', '2026-10-25T01:30:00Z', 'previous', '2026-10-24T01:00'],
    // 3 November 2024 had 00:00 to 01:00 twice in Havana.
    [
      'of a day that repeated midnight',
      'America/Havana',
      '2024-11-04T05:30:00Z',
      'previous',
      '2024-11-03T06:00',
    ],
    // Beirut skipped 00:00 to 01:00 on 30 March 2025: the day began at 22:00 UTC with 01:00.
    [
      'of a day that begins at 01:00, at midnight',
      'Asia/Beirut',
      '2025-03-30T21:30:00Z',
      'previous',
      '2025-03-29T22:00',
    ],
    // Clocks on Lord Howe go back from 02:00 to 01:30: the hour from 01:00 has 90 minutes.
    [
      'of an hour of 90 minutes',
      'Australia/Lord_Howe',
      '2026-04-05T15:00:00Z',
      'previous',
      '2026-04-04T15:30',
    ],
    ['from 29 February', 'UTC', '2024-02-29T08:00:00Z', 'previous_year', '2023-02-28T09:00'],
  ])('comparison of today %s', (_, zone, now, compare, end) => {
    expect(compared({ compare }, zone, now)[3]).toBe(end)
  })

  test('comparison: the day that Apia skipped is an empty period', () => {
    const { compared } = rangeOf({ compare: 'previous' }, 'Pacific/Apia', '2011-12-31T00:00:00Z')
    expect(compared).toMatchObject({ from: '2011-12-30', to: '2011-12-30' })
    expect(compared!.start).toEqual(compared!.end)
    expect(buckets(compared!)).toEqual([])
  })
})

describe('last 24 hours', () => {
  const hours = (zone: string, now: string, given: Given = {}) => {
    const { range, compared } = rangeOf({ range: 'last_24_hours', ...given }, zone, now)
    const span = compared ?? range
    return { ...span, length: (span.end.getTime() - span.start.getTime()) / HOUR, labels: buckets(span) }
  }

  test('last_24_hours ends with the current clock hour', () => {
    expect(rangeOf({ range: 'last_24_hours' }, 'Europe/Berlin').range).toEqual({
      zone: 'Europe/Berlin',
      from: '2026-04-09',
      to: '2026-04-10',
      start: new Date('2026-04-09T13:00:00Z'),
      end: new Date('2026-04-10T13:00:00Z'),
      days: 1,
      hours: 24,
      group: 'hour',
    })
  })

  test.each([
    ['has 24 hours over a skipped hour', 'Europe/Berlin', '2026-03-29T12:30:00Z', 24, '2026-03-28'],
    ['has 24 hours over a repeated hour', 'Europe/Berlin', '2026-10-25T12:30:00Z', 24, '2026-10-24'],
    [
      'is shorter over half a skipped hour',
      'Australia/Lord_Howe',
      '2025-10-05T03:30:00Z',
      23.5,
      '2025-10-04',
    ],
    [
      'is longer over half a repeated hour',
      'Australia/Lord_Howe',
      '2026-04-05T03:30:00Z',
      24.5,
      '2026-04-04',
    ],
    ['is the whole day in its last hour', 'UTC', '2026-04-10T23:10:00Z', 24, '2026-04-10'],
    ['goes back over the day that Apia skipped', 'Pacific/Apia', '2011-12-30T14:30:00Z', 24, '2011-12-29'],
  ])('last_24_hours %s', (_, zone, now, length, from) => {
    const found = hours(zone, now)
    expect(found).toMatchObject({ length, from })
    expect(found.labels).toHaveLength(24)
  })

  test('last_24_hours by day begins with its first hour, not with the day', () => {
    const { range } = rangeOf({ range: 'last_24_hours', group: 'day' }, 'Europe/Berlin')
    expect(seriesBuckets(range).map(({ label }) => label)).toEqual([
      '2026-04-09T15:00:00+02:00',
      '2026-04-10T00:00:00+02:00',
    ])
    expect(seriesBuckets({ ...range, group: 'month' })).toHaveLength(1)
  })

  test.each<[string, Given, string, string]>([
    ['previous: the 24 hours before', { compare: 'previous' }, '2026-04-08T13:00', '2026-04-09T13:00'],
    [
      'previous by weekday',
      { compare: 'previous', match_weekday: 'true' },
      '2026-04-02T13:00',
      '2026-04-03T13:00',
    ],
    ['previous_year', { compare: 'previous_year' }, '2025-04-09T13:00', '2025-04-10T13:00'],
    [
      'previous_year by weekday',
      { compare: 'previous_year', match_weekday: 'true' },
      '2025-04-10T13:00',
      '2025-04-11T13:00',
    ],
    [
      'custom: whole days',
      { compare: 'custom', compare_from: '2026-04-01', compare_to: '2026-04-01' },
      '2026-03-31T22:00',
      '2026-04-01T22:00',
    ],
  ])('last_24_hours compared with %s', (_, given, start, end) => {
    expect(compared({ range: 'last_24_hours', ...given }, 'Europe/Berlin').slice(2)).toEqual([start, end])
  })

  test('last_24_hours compared by weekday across a change of clocks ends at the same time of day', () => {
    const given = { range: 'last_24_hours', compare: 'previous', match_weekday: 'true' }
    // 14:20 in winter time; a week before it was summer time.
    const [, , start, end] = compared(given, 'Europe/Berlin', '2026-10-28T13:20:00Z')
    expect([start, end]).toEqual(['2026-10-20T13:00', '2026-10-21T13:00'])
  })

  test('last_24_hours in every zone is what a count of its clock hours gives, and so are the hours before', () => {
    const anyTime = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2035, 0, 1) })
    fc.assert(
      fc.property(fc.constantFrom(...allZones()), anyTime, (zone, at) => {
        const now = new Date(at).toISOString()
        const { range, compared } = rangeOf({ range: 'last_24_hours', compare: 'previous' }, zone, now)
        const expected = lastHours(zone, at, 24)
        expect([range.start.getTime(), range.end.getTime()]).toEqual(Object.values(expected.period))
        expect([range.from, range.to]).toEqual([expected.from, expected.to])
        expect(compared!.end).toEqual(range.start)
        expect(buckets(compared!)).toHaveLength(24)
      }),
      { numRuns: 60 },
    )
  })
})

describe('chosen groups', () => {
  test('group is taken instead of the one for the number of days', () => {
    const { range } = rangeOf({ from: '2026-03-01', to: '2026-03-31', group: 'week' })
    expect(range.group).toBe('week')
    expect(seriesBuckets(range)).toHaveLength(6)
    expect(rangeOf({ range: 'last_12_months', group: 'day' }).range.group).toBe('day')
  })

  test.each([
    ['hour', '2026-01-01', '2026-05-05', 3_000],
    ['day', '2026-01-01', '2034-03-19', 3_000],
    ['week', '2024-01-01', '2081-06-29', 3_000],
    ['month', '2001-01-01', '2250-12-31', 3_000],
  ])('group %s may have 3,000 buckets, and no more', (group, from, to, count) => {
    const { range } = rangeOf({ from, to, group })
    expect(seriesBuckets(range)).toHaveLength(count)
    const more = rangeOf({ from, to: new Date(Date.parse(to) + 24 * HOUR).toISOString().slice(0, 10), group })
    expect(() => seriesBuckets(more.range)).toThrow(/at most 3,000 buckets/)
  })

  test.each([
    ['group', { from: '1970-01-01', to: '9998-12-31', group: 'hour' }],
    ['group', { from: '1970-01-01', to: '9998-12-31', group: 'month' }],
    ['from', { from: '1970-01-01', to: '9998-12-31' }],
  ])('too many buckets are refused at %s', (field, given) => {
    try {
      seriesBuckets(rangeOf(given).range)
      expect.unreachable()
    } catch (error) {
      expect(Object.keys((error as { fields: object }).fields)).toEqual([field])
    }
  })
})

describe('year to date', () => {
  test.each([
    ['2026-04-10T12:00:00Z', 'UTC', '2026-01-01', 100, 'week'],
    ['2026-01-01T09:00:00Z', 'UTC', '2026-01-01', 1, 'hour'],
    ['2025-12-31T23:30:00Z', 'Europe/Berlin', '2026-01-01', 1, 'hour'],
    ['2024-12-31T12:00:00Z', 'UTC', '2024-01-01', 366, 'week'],
  ])('year_to_date at %s in %s begins on %s', (now, zone, from, days, group) => {
    expect(rangeOf({ range: 'year_to_date' }, zone, now).range).toMatchObject({ from, days, group })
  })
})
