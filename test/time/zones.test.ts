import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allZones, canonicalZone, isIanaZone } from '../../src/time/zones.ts'

describe('time zone', () => {
  test.each([
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/BERLIN', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['Europe/Kiev', 'Europe/Kiev'],
    ['America/Nuuk', 'America/Nuuk'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
    ['AMERICA/ARGENTINA/COMODRIVADAVIA', 'America/Argentina/ComodRivadavia'],
    ['Etc/UTC', 'Etc/UTC'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['Etc/GMT-14', 'Etc/GMT-14'],
    ['GMT', 'GMT'],
    ['EST5EDT', 'EST5EDT'],
    ['EST', 'EST'],
    ['CET', 'CET'],
    ['us/pacific', 'US/Pacific'],
    ['w-su', 'W-SU'],
    ['nz-chat', 'NZ-CHAT'],
  ])('%s is spelled %s', (sent, spelling) => {
    expect(canonicalZone(sent)).toBe(spelling)
    expect(isIanaZone(sent)).toBe(true)
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
  ])('%s is refused', (_, sent) => {
    expect(canonicalZone(sent)).toBeUndefined()
    expect(isIanaZone(sent)).toBe(false)
  })
})

describe('list of time zones', () => {
  const zones = allZones()

  test('the list of time zones is sorted and names each zone once', () => {
    expect(zones).toEqual([...new Set(zones)].sort())
  })

  test('the list of time zones has all zones of the runtime, UTC, and old and new spellings', () => {
    expect(zones).toEqual(expect.arrayContaining(Intl.supportedValuesOf('timeZone')))
    expect(zones).toEqual(expect.arrayContaining(['UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv']))
    expect(zones.length).toBeGreaterThan(590)
  })

  test('the list of time zones has only zones that the runtime knows', () => {
    for (const zone of zones) new Intl.DateTimeFormat('en', { timeZone: zone })
  })

  test('contains names that are accepted in any case', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.infiniteStream(fc.boolean()), (zone, coins) => {
        const sent = Array.from(zone, letter =>
          coins.next().value ? letter.toUpperCase() : letter.toLowerCase(),
        ).join('')
        expect(canonicalZone(sent)).toBe(zone)
      }),
    )
  })
})
