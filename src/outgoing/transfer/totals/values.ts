import { attribute } from '../../../ingestion/stages/attribute.ts'
import { sourceOfTag } from '../../../ingestion/stages/sources/find-source.ts'
import { commonBrowser, commonSystem } from '../../../ingestion/stages/user-agent.ts'
import { OTHER_CODES } from '../converters/fields/place.ts'

/** Where visits came from, as other products write it; unknown ones are empty. */
interface Origin {
  source: string
  /** Host and path without scheme. */
  referrer: string
  utmSource: string
  utmMedium: string
  utmCampaign: string
}

/** What products write for no value. */
const NOTHING = new Set(['(not set)', '(not provided)', '(none)', '(direct)', 'direct / none'])

/** Returns a value without what stands for none. */
export const given = (value: string): string => (NOTHING.has(value.toLowerCase()) ? '' : value)

/**
 * Returns source and channel as live visits from there have them.
 * @see docs/metrics.md "Channel"
 */
export function originOf({ source, referrer, utmSource, utmMedium, utmCampaign }: Origin): {
  source: string
  channel: string
} {
  const visit = {
    url: '',
    referrerPage: referrer,
    // A source without its referrer is read like a tag: it names a product or a host.
    utmSource: utmSource || (referrer ? '' : source),
    utmMedium,
    utmCampaign,
    source: '',
    channel: '',
  }
  attribute(visit)
  const isNamed = utmSource === '' && referrer === '' && source !== ''
  const known = isNamed ? sourceOfTag(source).known?.name : undefined
  return { source: known || visit.source, channel: visit.channel }
}

const SIZES: Readonly<Record<string, string>> = {
  desktop: 'desktop',
  laptop: 'desktop',
  'ultra-wide': 'desktop',
  'smart tv': 'desktop',
  mobile: 'mobile',
  phone: 'mobile',
  tablet: 'tablet',
}

/** Returns `desktop`, `mobile` or `tablet`; empty for other kinds. */
export const sizeOf = (device: string): string => SIZES[device.toLowerCase()] ?? ''

export const browserOf = (browser: string): string => commonBrowser(given(browser))

const SYSTEMS: Readonly<Record<string, string>> = { mac: 'macOS', macintosh: 'macOS', 'gnu/linux': 'Linux' }

export const systemOf = (system: string): string =>
  SYSTEMS[system.toLowerCase()] ?? commonSystem(given(system))

let codes: Map<string, string> | undefined

/** Returns the ISO 3166-1 code of a country by its code or its English name; empty for others. */
export function countryOf(country: string): string {
  codes ??= codesByName()
  const name = OTHER_CODES.get(given(country)) ?? given(country)
  return /^[A-Z]{2}$/.test(name) && name !== 'ZZ' ? name : (codes.get(name.toLowerCase()) ?? '')
}

function codesByName(): Map<string, string> {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const found = new Map<string, string>([['turkey', 'TR']])
  for (const code of letters.flatMap(first => letters.map(second => first + second))) {
    // Codes of states that exist no more have the names of others: DD is Germany, as DE is.
    if (code === 'ZZ' || Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`) continue
    const name = names.of(code)
    if (name && !found.has(name.toLowerCase())) found.set(name.toLowerCase(), code)
  }
  return found
}

/** Returns a path without host, query and fragment. */
export function pathOf(page: string): string {
  const path = page.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '')
  return path === '' || path.startsWith('/') || path.startsWith('(') ? path || '/' : `/${path}`
}
