import { parse } from 'tldts'
import { listedSources } from './listed-sources.ts'
import { remember } from './remember.ts'
import { type KnownSource, knownSources, type SourceCategory } from './sources.ts'

/** `exactHosts` match only themselves; `hostFamilies` (stored without `*.`) match their subdomains too. */
const exactHosts = new Map<string, KnownSource>()
const hostFamilies = new Map<string, KnownSource>()
const spellings = new Map<string, KnownSource>()

for (const [category, words] of Object.entries(listedSources)) {
  const source: KnownSource = { name: '', category: category as SourceCategory }
  for (const word of words.trim().split(/\s+/)) {
    const host = word.replace('/', '')
    const [name = ''] = word.split('/')
    if (host.includes('.')) hostFamilies.set(host, source)
    if (!name.includes('.')) spellings.set(spelling(name), source)
  }
}

for (const source of knownSources) {
  spellings.set(spelling(source.name), source)
  for (const alias of source.aliases ?? []) spellings.set(spelling(alias), source)
  for (const host of source.hosts ?? []) {
    const key = host.toLowerCase()
    if (key.startsWith('*.')) hostFamilies.set(key.slice(2), source)
    else exactHosts.set(key, source)
  }
}

/**
 * Returns the known source of a referrer's host or Android package name; upper and lower case are equal.
 * The most specific entry wins: mail.google.com is Gmail, google.co.uk is Google.
 */
export function sourceOfHost(host: string): KnownSource | undefined {
  return lookUpHost(withoutWww(host.toLowerCase()))
}

/**
 * Returns the known source of a spelling or host name.
 * @param spelled a result of `spelling`
 */
export function sourceOfSpelling(spelled: string): KnownSource | undefined {
  return spellings.get(spelled) ?? (spelled.includes('.') ? sourceOfHost(spelled) : undefined)
}

/** @returns the host without one leading `www.` */
export function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}

const lookUpHost = remember(10_000, (host: string): KnownSource | undefined => {
  if (host.length > 255) return undefined
  const { domainWithoutSuffix, publicSuffix, isIcann } = parse(host)
  const name = isIcann && publicSuffix && isCommonSuffix(publicSuffix) ? domainWithoutSuffix : null
  const anySuffix = name ? `${host.slice(0, -(publicSuffix as string).length)}*` : undefined

  const exact = exactHosts.get(host) ?? (anySuffix && exactHosts.get(anySuffix))
  if (exact) return exact

  for (let rest = host, wild = anySuffix; rest.includes('.'); rest = afterDot(rest)) {
    const family = hostFamilies.get(rest) ?? (wild && hostFamilies.get(wild))
    if (family) return family
    wild = wild && wild.indexOf('.') < wild.length - 2 ? afterDot(wild) : undefined
  }
  return undefined
})

/** Matches `.com`, `.cat` and country suffixes only: under others a stranger can register a known name (google.blog). */
function isCommonSuffix(publicSuffix: string): boolean {
  return publicSuffix === 'com' || publicSuffix === 'cat' || /(^|\.)[a-z]{2}$/.test(publicSuffix)
}

/** Returns one form for all spellings of a tag: lower case, with spaces for `-` and `_`. */
export function spelling(tag: string): string {
  return tag
    .trim()
    .toLowerCase()
    .replace(/[-_\s]+/g, ' ')
}

function afterDot(host: string): string {
  return host.slice(host.indexOf('.') + 1)
}
