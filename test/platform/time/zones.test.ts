import { expect, test } from 'vitest'
import { allZones, canonicalZone, isIanaZone } from '../../../src/platform/time/zones.ts'

const NAMES = [
  ...['UTC', 'Etc/UTC', 'Etc/GMT+5', 'Etc/GMT-14', 'GMT', 'EST', 'EST5EDT', 'CET', 'W-SU', 'NZ-CHAT'],
  ...['Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Europe/Kiev', 'Europe/Berlin', 'America/Nuuk'],
  ...['US/Pacific', 'America/Port-au-Prince', 'America/Argentina/ComodRivadavia'],
]

test.each(NAMES)('time zone: %s is accepted in any case and keeps its spelling', name => {
  for (const sent of [name, name.toLowerCase(), name.toUpperCase()]) {
    expect(canonicalZone(sent)).toBe(name)
    expect(isIanaZone(sent)).toBe(true)
  }
})

test.each([
  ['a POSIX string', 'FOO+3'],
  ['a POSIX string with daylight saving', 'CET-1CEST'],
  ['an offset', '+05:30'],
  ['an offset from GMT', 'GMT+5'],
  ['an offset IANA does not list', 'Etc/GMT+15'],
  ['an abbreviation the runtime knows and IANA does not list', 'PST'],
  ['a name only the runtime knows', 'SystemV/AST4'],
  ['a placeholder', 'Factory'],
  ['a file beside the zones', 'posixrules'],
  ['a folder', 'Europe'],
  ['a place nobody lists', 'Europe/Potsdam'],
  ['a name with spaces around it', ' UTC '],
  ['nothing', ''],
  ['a property every object has', 'constructor'],
])('time zone: %s is refused', (_, sent) => {
  expect(canonicalZone(sent)).toBeUndefined()
  expect(isIanaZone(sent)).toBe(false)
})

const zones = allZones()

test('the list of time zones is sorted, and has all zones of the runtime, UTC, and old and new spellings', () => {
  expect(zones).toEqual([...new Set(zones)].sort())
  expect(zones).toEqual(expect.arrayContaining(Intl.supportedValuesOf('timeZone')))
  expect(zones).toEqual(expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv']))
  expect(zones.length).toBeGreaterThan(590)
})

test('the list of time zones has only zones that the runtime knows, and they are accepted in any case', () => {
  for (const zone of zones) {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    for (const sent of [zone, zone.toLowerCase(), zone.toUpperCase()]) expect(canonicalZone(sent)).toBe(zone)
  }
})
