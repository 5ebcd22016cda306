import { ZONE_NAMES } from './zone-names.ts'

/** Map from lower case to the IANA spelling; zones that are newer than the table come from the runtime. */
const spellings = new Map<string, string>()
for (const [area, places] of Object.entries(ZONE_NAMES)) {
  for (const place of places.trim().split(/\s+/)) spell(area === '' ? place : `${area}/${place}`)
}
const offered = new Set(Intl.supportedValuesOf('timeZone'))
for (const name of offered) spell(name)

function spell(name: string): void {
  spellings.set(name.toLowerCase(), name)
}

/** Needed because the runtime's zone data can be older than the table. */
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
 * Returns an IANA zone name in its official spelling, for a name in upper or lower case. Links are not resolved:
 * `asia/kolkata` is `Asia/Kolkata`, `Asia/Calcutta` is `Asia/Calcutta`.
 * @returns undefined for anything else: offsets, POSIX strings, abbreviations that the IANA does not list
 */
export function canonicalZone(name: string): string | undefined {
  const spelling = spellings.get(name.toLowerCase())
  return spelling !== undefined && isKnownToRuntime(spelling) ? spelling : undefined
}

/** Returns whether `canonicalZone` knows the name, in upper or lower case. */
export function isIanaZone(name: string): boolean {
  return canonicalZone(name) !== undefined
}

let known: readonly string[] | undefined

/** Returns every name that `canonicalZone` can return, sorted. The first call takes about 20 ms; later calls use the cache. */
export function allZones(): readonly string[] {
  known ??= [...spellings.values()].filter(isKnownToRuntime).sort()
  return known
}

/** Returns the options of a zone list; labels have spaces: `America/New_York` is `America/New York`. */
export function zoneOptions(): { value: string; label: string }[] {
  return allZones().map(value => ({ value, label: value.replaceAll('_', ' ') }))
}
