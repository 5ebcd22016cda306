import { ZONE_NAMES } from './zone-names.ts'

/** Lower case to the IANA spelling; zones that are newer than the table come from the runtime. */
const spellings = new Map<string, string>()
for (const [area, places] of Object.entries(ZONE_NAMES)) {
  for (const place of places.trim().split(/\s+/)) spell(area === '' ? place : `${area}/${place}`)
}
const offered = new Set(Intl.supportedValuesOf('timeZone'))
for (const name of offered) spell(name)

function spell(name: string): void {
  spellings.set(name.toLowerCase(), name)
}

/** The runtime's zone data can be older than the table. */
function isKnownToRuntime(name: string): boolean {
  if (offered.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * An IANA zone name in its own spelling, whatever the case it was sent in. Links stay what they are:
 * `asia/kolkata` is `Asia/Kolkata`, `Asia/Calcutta` is `Asia/Calcutta`.
 * @returns undefined for anything else: offsets, POSIX strings, abbreviations the IANA does not list
 */
export function canonicalZone(name: string): string | undefined {
  const spelling = spellings.get(name.toLowerCase())
  return spelling !== undefined && isKnownToRuntime(spelling) ? spelling : undefined
}

/** Whether `canonicalZone` knows the name, in any case. */
export function isIanaZone(name: string): boolean {
  return canonicalZone(name) !== undefined
}

let known: readonly string[] | undefined

/** Every name `canonicalZone` returns, sorted. The first call takes about 20 ms, later ones nothing. */
export function allZones(): readonly string[] {
  known ??= [...spellings.values()].filter(isKnownToRuntime).sort()
  return known
}

/** What can be chosen, labelled as people write it: `America/New_York` is `America/New York`. */
export function zoneOptions(): { value: string; label: string }[] {
  return allZones().map(value => ({ value, label: value.replaceAll('_', ' ') }))
}
