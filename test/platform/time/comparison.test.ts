import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkComparison, comparedRange, compareFields } from '../../../src/platform/time/comparison.ts'
import { buckets, groupField, resolveRange, seriesBuckets } from '../../../src/platform/time/range.ts'
import { allZones } from '../../../src/platform/time/zones.ts'
import { StatsQuery } from '../../../src/stats/filters/stats-query.ts'
import { lastHours } from '../../support/recount-comparison.ts'

const Query = StatsQuery.safeExtend({ ...compareFields, ...groupField }).superRefine(checkComparison)
type Given = Record<string, unknown>

const HOUR = 3_600_000
const BERLIN = 'Europe/Berlin'
const LORD_HOWE = 'Australia/Lord_Howe'
const PREVIOUS = { compare: 'previous' }
const BY_WEEKDAY = { compare: 'previous', match_weekday: 'true' }
const YEAR_BEFORE = { compare: 'previous_year' }
const YEAR_BY_WEEKDAY = { compare: 'previous_year', match_weekday: 'true' }
const THIS_MONTH = { range: 'this_month', ...PREVIOUS }
const custom = (from: string, to = from) => ({ compare: 'custom', compare_from: from, compare_to: to })
const days = (from: string, to = from) => ({ from, to })

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

const NEW_YEAR = '2026-01-01'
test.each<[string, Given, string, string]>([
  ['an unknown one', { compare: 'year' }, 'compare', 'must be one of previous, previous_year, custom'],
  ['an empty one', { compare: '' }, 'compare', 'must be one of'],
  ['custom without days', { compare: 'custom' }, 'compare_from', 'is required'],
  ['no last day', { compare: 'custom', compare_from: NEW_YEAR }, 'compare_to', 'is required'],
  ['days alone', { ...custom(NEW_YEAR), compare: undefined }, 'compare_from', 'needs compare=custom'],
  ['a day with previous', { ...PREVIOUS, compare_to: NEW_YEAR }, 'compare_to', 'needs compare=custom'],
  ['days in the wrong order', custom('2026-01-02', NEW_YEAR), 'compare_from', 'later than compare_to'],
  ['30 February', custom('2026-02-30', '2026-03-01'), 'compare_from', 'YYYY-MM-DD'],
  ['1969', custom('1969-12-31', NEW_YEAR), 'compare_from', '1970 to 9998'],
  ['match_weekday alone', { match_weekday: 'true' }, 'match_weekday', 'needs compare'],
  ['match_weekday that is false, alone', { match_weekday: 'false' }, 'match_weekday', 'needs compare'],
  ['custom by weekday', { ...custom(NEW_YEAR), match_weekday: 'true' }, 'match_weekday', 'needs compare'],
  ['match_weekday=yes', { ...PREVIOUS, match_weekday: 'yes' }, 'match_weekday', 'must be true or false'],
  ['an unknown group', { group: 'quarter' }, 'group', 'must be one of hour, day, week, month'],
])('parameters of a comparison: %s is refused', (_, given, path, message) => {
  const { error } = Query.safeParse(given)
  expect(error?.issues[0]).toMatchObject({ path: [path], message: expect.stringContaining(message) })
})

test('comparison: without compare there is none', () => {
  expect(rangeOf({ range: 'last_7_days' }).compared).toBeUndefined()
})

const march = days('2026-03-02', '2026-03-11')
const leapDay = days('2024-02-29')
test.each<[string, Given, string, string]>([
  ['previous: as many days just before', { ...march, ...PREVIOUS }, '2026-02-20', '2026-03-01'],
  ['previous by weekday: 10 days move by two weeks', { ...march, ...BY_WEEKDAY }, '2026-02-16', '2026-02-25'],
  ['by weekday: 7 days by one week', { range: 'last_7_days', ...BY_WEEKDAY }, '2026-03-28', '2026-04-03'],
  ['by weekday: yesterday by one week', { range: 'yesterday', ...BY_WEEKDAY }, '2026-04-02', '2026-04-02'],
  ['not by weekday', { ...march, ...BY_WEEKDAY, match_weekday: 'false' }, '2026-02-20', '2026-03-01'],
  ['previous_year: the same dates', { ...march, ...YEAR_BEFORE }, '2025-03-02', '2025-03-11'],
  ['previous_year by weekday: 364 days before', { ...march, ...YEAR_BY_WEEKDAY }, '2025-03-03', '2025-03-12'],
  ['from 29 February', { ...days('2024-02-29', '2024-03-31'), ...YEAR_BEFORE }, '2023-02-28', '2023-03-31'],
  ['to 29 February', { ...days('2024-02-01', '2024-02-29'), ...YEAR_BEFORE }, '2023-02-01', '2023-02-28'],
  ['29 February alone', { ...leapDay, ...YEAR_BEFORE }, '2023-02-28', '2023-02-28'],
  ['29 February by weekday', { ...leapDay, ...YEAR_BY_WEEKDAY }, '2023-03-02', '2023-03-02'],
  ['across 29 February', { ...days('2024-02-28', '2024-03-01'), ...YEAR_BEFORE }, '2023-02-28', '2023-03-01'],
  ['after 29 February', { ...days('2025-02-28', '2025-03-01'), ...YEAR_BEFORE }, '2024-02-28', '2024-03-01'],
  ['before 1970', { ...days('1970-01-01', '1970-01-31'), ...YEAR_BEFORE }, '1969-01-01', '1969-01-31'],
  ['custom, later days', { ...march, ...custom('2026-03-05', '2027-01-01') }, '2026-03-05', '2027-01-01'],
  ['a preset with today and more', THIS_MONTH, '2026-03-22', '2026-03-31'],
])('comparison with whole days: %s', (_, given, from, to) => {
  const { range, compared } = rangeOf(given)
  expect(compared).toMatchObject({ from, to, start: new Date(`${from}T00:00:00Z`), group: range.group })
  expect(compared!.end).toEqual(new Date(Date.parse(`${to}T00:00:00Z`) + 24 * HOUR))
})

test('comparison: the longest range with a comparison begins where the database can store it', () => {
  const all = days('1970-01-01', '9998-12-31')
  const datesOf = (given: Given) => compared({ ...all, ...given }).slice(0, 2)
  expect(datesOf(PREVIOUS)).toEqual(['1900-01-01', '1969-12-31'])
  expect(datesOf(BY_WEEKDAY)[0]).toBe('1900-01-01')
  expect(datesOf(YEAR_BEFORE)).toEqual(['1969-01-01', '9997-12-31'])
})

test.each<[string, Given, string, string, string]>([
  ['previous', { range: 'today', ...PREVIOUS }, '2026-04-09', '2026-04-08T22:00', '2026-04-09T13:00'],
  ['previous by weekday', BY_WEEKDAY, '2026-04-03', '2026-04-02T22:00', '2026-04-03T13:00'],
  ['previous_year', YEAR_BEFORE, '2025-04-10', '2025-04-09T22:00', '2025-04-10T13:00'],
  ['dates', { ...days('2026-04-10'), ...PREVIOUS }, '2026-04-09', '2026-04-08T22:00', '2026-04-09T13:00'],
  ['custom: whole days', custom('2026-04-09'), '2026-04-09', '2026-04-08T22:00', '2026-04-09T22:00'],
])('comparison of today: %s', (_, given, date, start, end) => {
  expect(compared(given, BERLIN)).toEqual([date, date, start, end])
})

test.each<[string, string, string, string, Given?]>([
  ['just before the hour', 'UTC', '2026-04-10T12:59:59.999Z', '2026-04-09T13:00'],
  ['at the hour', 'UTC', '2026-04-10T13:00:00Z', '2026-04-09T14:00'],
  ['in the last hour: the whole day', 'UTC', '2026-04-10T23:30:00Z', '2026-04-10T00:00'],
  ['with a half-hour offset', 'Asia/Kolkata', '2026-04-10T12:20:00Z', '2026-04-09T12:30'],
  // 29 March 2026 had no 02:00 to 03:00 in Berlin: 01:00 UTC is 03:00.
  ['of a day that skipped the hour', BERLIN, '2026-03-30T00:30:00Z', '2026-03-29T01:00'],
  ['on the day that skipped an hour', BERLIN, '2026-03-29T01:30:00Z', '2026-03-28T03:00'],
  // 25 October 2026 had 02:00 to 03:00 twice: until 01:00 UTC and until 02:00 UTC.
  ['of a day that repeated the hour', BERLIN, '2026-10-26T01:30:00Z', '2026-10-25T02:00'],
  ['of a day that repeated the hour after', BERLIN, '2026-10-26T00:30:00Z', '2026-10-25T00:00'],
  ['in the first of two hours', BERLIN, '2026-10-25T00:30:00Z', '2026-10-24T01:00'],
  ['in the second of two hours', BERLIN, '2026-10-25T01:30:00Z', '2026-10-24T01:00'],
  // 3 November 2024 had 00:00 to 01:00 twice in Havana.
  ['of a day that repeated midnight', 'America/Havana', '2024-11-04T05:30:00Z', '2024-11-03T06:00'],
  // Beirut skipped 00:00 to 01:00 on 30 March 2025: the day began at 22:00 UTC with 01:00.
  ['of a day that begins at 01:00', 'Asia/Beirut', '2025-03-30T21:30:00Z', '2025-03-29T22:00'],
  // Clocks on Lord Howe go back from 02:00 to 01:30: the hour from 01:00 has 90 minutes.
  ['of an hour of 90 minutes', LORD_HOWE, '2026-04-05T15:00:00Z', '2026-04-04T15:30'],
  ['from 29 February', 'UTC', '2024-02-29T08:00:00Z', '2023-02-28T09:00', YEAR_BEFORE],
  ['as this_month', 'UTC', '2026-04-01T05:59:59Z', '2026-03-31T06:00', THIS_MONTH],
])('comparison of today %s', (_, zone, now, end, given = PREVIOUS) => {
  expect(compared(given, zone, now)[3]).toBe(end)
})

test('comparison: the day that Apia skipped is an empty period', () => {
  const { compared } = rangeOf(PREVIOUS, 'Pacific/Apia', '2011-12-31T00:00:00Z')
  expect(compared).toMatchObject({ from: '2011-12-30', to: '2011-12-30' })
  expect(compared!.start).toEqual(compared!.end)
  expect(buckets(compared!)).toEqual([])
})

const last24 = { range: 'last_24_hours' }

test('last_24_hours ends with the current clock hour', () => {
  expect(rangeOf(last24, BERLIN).range).toEqual({
    zone: BERLIN,
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
  ['has 24 hours over a skipped hour', BERLIN, '2026-03-29T12:30:00Z', 24, '2026-03-28'],
  ['has 24 hours over a repeated hour', BERLIN, '2026-10-25T12:30:00Z', 24, '2026-10-24'],
  ['is shorter over half a skipped hour', LORD_HOWE, '2025-10-05T03:30:00Z', 23.5, '2025-10-04'],
  ['is longer over half a repeated hour', LORD_HOWE, '2026-04-05T03:30:00Z', 24.5, '2026-04-04'],
  ['is the whole day in its last hour', 'UTC', '2026-04-10T23:10:00Z', 24, '2026-04-10'],
  ['goes back over the day that Apia skipped', 'Pacific/Apia', '2011-12-30T14:30:00Z', 24, '2011-12-29'],
])('last_24_hours %s', (_, zone, now, length, from) => {
  const { range } = rangeOf(last24, zone, now)
  expect(range.from).toBe(from)
  expect((range.end.getTime() - range.start.getTime()) / HOUR).toBe(length)
  expect(buckets(range)).toHaveLength(24)
})

test('last_24_hours by day begins with its first hour, not with the day', () => {
  const { range } = rangeOf({ ...last24, group: 'day' }, BERLIN)
  const labels = seriesBuckets(range).map(({ label }) => label)
  expect(labels).toEqual(['2026-04-09T15:00:00+02:00', '2026-04-10T00:00:00+02:00'])
  expect(seriesBuckets({ ...range, group: 'month' })).toHaveLength(1)
})

test.each<[string, Given, string, string, string?]>([
  ['previous: the 24 hours before', PREVIOUS, '2026-04-08T13:00', '2026-04-09T13:00'],
  ['previous by weekday', BY_WEEKDAY, '2026-04-02T13:00', '2026-04-03T13:00'],
  ['previous_year', YEAR_BEFORE, '2025-04-09T13:00', '2025-04-10T13:00'],
  ['previous_year by weekday', YEAR_BY_WEEKDAY, '2025-04-10T13:00', '2025-04-11T13:00'],
  ['custom: whole days', custom('2026-04-01'), '2026-03-31T22:00', '2026-04-01T22:00'],
  // 14:20 in winter time; a week before it was summer time.
  ['the same time of day', BY_WEEKDAY, '2026-10-20T13:00', '2026-10-21T13:00', '2026-10-28T13:20:00Z'],
])('last_24_hours compared with %s', (_, given, start, end, now) => {
  expect(compared({ ...last24, ...given }, BERLIN, now).slice(2)).toEqual([start, end])
})

test('last_24_hours in every zone is what a count of its clock hours gives, and so are the hours before', () => {
  const anyTime = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2035, 0, 1) })
  fc.assert(
    fc.property(fc.constantFrom(...allZones()), anyTime, (zone, at) => {
      const { range, compared } = rangeOf({ ...last24, ...PREVIOUS }, zone, new Date(at).toISOString())
      const expected = lastHours(zone, at, 24)
      expect([range.start.getTime(), range.end.getTime()]).toEqual(Object.values(expected.period))
      expect([range.from, range.to]).toEqual([expected.from, expected.to])
      expect(compared!.end).toEqual(range.start)
      expect(buckets(compared!)).toHaveLength(24)
    }),
    { numRuns: 60 },
  )
})

test('chosen groups: group is taken instead of the one for the number of days', () => {
  const { range } = rangeOf({ from: '2026-03-01', to: '2026-03-31', group: 'week' })
  expect(range.group).toBe('week')
  expect(seriesBuckets(range)).toHaveLength(6)
  expect(rangeOf({ range: 'last_12_months', group: 'day' }).range.group).toBe('day')
})

test.each([
  ['hour', '2026-01-01', '2026-05-05'],
  ['day', '2026-01-01', '2034-03-19'],
  ['week', '2024-01-01', '2081-06-29'],
  ['month', '2001-01-01', '2250-12-31'],
])('chosen groups: group %s may have 3,000 buckets, and no more', (group, from, to) => {
  expect(seriesBuckets(rangeOf({ from, to, group }).range)).toHaveLength(3_000)
  const more = rangeOf({ from, to: new Date(Date.parse(to) + 24 * HOUR).toISOString().slice(0, 10), group })
  expect(() => seriesBuckets(more.range)).toThrow(/at most 3,000 buckets/)
})

test.each([
  ['group', { group: 'hour' }],
  ['group', { group: 'month' }],
  ['from', {}],
])('chosen groups: too many buckets are refused at %s', (field, given) => {
  const { range } = rangeOf({ ...days('1970-01-01', '9998-12-31'), ...given })
  const fields = { [field]: expect.any(Array) }
  expect(() => seriesBuckets(range)).toThrow(expect.objectContaining({ fields }))
})

test.each([
  ['2026-04-10T12:00:00Z', 'UTC', '2026-01-01', 100, 'week'],
  ['2026-01-01T09:00:00Z', 'UTC', '2026-01-01', 1, 'hour'],
  ['2025-12-31T23:30:00Z', BERLIN, '2026-01-01', 1, 'hour'],
  ['2024-12-31T12:00:00Z', 'UTC', '2024-01-01', 366, 'week'],
])('year_to_date at %s in %s begins on %s', (now, zone, from, days, group) => {
  expect(rangeOf({ range: 'year_to_date' }, zone, now).range).toMatchObject({ from, days, group })
})
