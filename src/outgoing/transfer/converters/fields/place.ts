import { cut } from '../../../../platform/schema/validation.ts'
import type { HitLine } from '../converter.ts'
import { isUnknown, plainText } from './texts.ts'

type Location = NonNullable<HitLine['location']>

/** Codes that products use for an unknown country, a region of the world, or an anonymous network. */
const NO_COUNTRY = new Set(['XX', 'ZZ', 'EU', 'AP'])

/**
 * Returns where a visitor was, as far as it is known.
 * @param place.country ISO 3166-1 alpha-2 in any case
 * @param place.region ISO 3166-2, with or without the country before it
 * @returns undefined when nothing is known
 */
export function readPlace(place: {
  country?: unknown
  region?: unknown
  city?: unknown
}): Location | undefined {
  const country = readCountry(place.country)
  const region = readRegion(place.region, country)
  const city = cut(plainText(place.city)?.replace(/\p{Cc}/gu, '') ?? '', 100).trim()
  const location: Location = {
    ...(country && { country }),
    ...(region && { region }),
    ...(city && !isUnknown(city) && { city }),
  }
  return Object.keys(location).length > 0 ? location : undefined
}

/** Codes that products write instead of those of ISO 3166-1. */
export const OTHER_CODES = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
])

function readCountry(value: unknown): string | undefined {
  const given = plainText(value)?.toUpperCase()
  const code = given && (OTHER_CODES.get(given) ?? given)
  return code && /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.has(code) ? code : undefined
}

function readRegion(value: unknown, country: string | undefined): string | undefined {
  const code = plainText(value)?.toUpperCase()
  if (!code || !country) return undefined
  const region = code.includes('-')
    ? code.replace(/^[A-Z]{2}/, given => OTHER_CODES.get(given) ?? given)
    : `${country}-${code}`
  return region.startsWith(`${country}-`) && /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(region) ? region : undefined
}

/** Countries by their English names, in lower case. */
const countryNames = new Map<string, string>()

/** Returns the code of a country from its English name, as Google writes it; undefined for a name that is not known. */
export function countryOfName(name: unknown): string | undefined {
  if (countryNames.size === 0) loadCountryNames()
  return countryNames.get(plainText(name)?.toLowerCase() ?? '')
}

function loadCountryNames(): void {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  for (const first of letters) {
    for (const second of letters) {
      const code = first + second
      // Former codes, such as SU, have the names of the countries that came after them.
      if (Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}` || NO_COUNTRY.has(code)) continue
      const name = names.of(code)?.toLowerCase()
      if (name && !countryNames.has(name)) countryNames.set(name, code)
    }
  }
  for (const [name, code] of OTHER_NAMES) countryNames.set(name, code)
}

const OTHER_NAMES = [
  ['hong kong', 'HK'],
  ['macao', 'MO'],
  ['macau', 'MO'],
  ['turkey', 'TR'],
  ['türkiye', 'TR'],
  ['palestine', 'PS'],
  ['czech republic', 'CZ'],
  ['macedonia (fyrom)', 'MK'],
  ['north macedonia', 'MK'],
  ["côte d'ivoire", 'CI'],
  ['swaziland', 'SZ'],
  ['myanmar', 'MM'],
] as const
