import { parse } from 'tldts'
import { remember } from '../remember.ts'
import { knownSources } from './known-sources.ts'
import { listedSources } from './listed-sources.ts'
import type { KnownSource, SourceCategory } from './source.ts'

/** The source of a session without any. */
export const DIRECT = 'Direct / None'

/** `exactHosts` match only themselves; `hostFamilies` (stored without `*.`) match their subdomains too. */
const exactHosts = new Map<string, KnownSource>()
const hostFamilies = new Map<string, KnownSource>()
const spellings = new Map<string, KnownSource>()

for (const [category, words] of Object.entries(listedSources)) {
  const source: KnownSource = { name: '', category: category as SourceCategory, isOurs: false }
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

/** Names, tags and hosts as they are listed, by their lower-case form. */
const listed = new Map(
  [
    ...Object.values(listedSources).flatMap(words =>
      words
        .trim()
        .split(/\s+/)
        .flatMap(word => [word.replace('/', ''), ...word.split('/', 1)]),
    ),
    ...knownSources.flatMap(({ adAliases = [], hosts = [] }) => [...adAliases, ...hosts]),
    ...knownSources.flatMap(({ aliases = [] }) => aliases),
    ...knownSources.flatMap(({ name }) => (name === '' ? [] : [name])),
    DIRECT,
  ].map(each => [each.toLowerCase(), each]),
)

/** Returns a source as it is listed, if only upper and lower case differ: `google` is Google. Known hosts are in lower case. */
export function listedSpelling(source: string): string | undefined {
  const folded = source.toLowerCase()
  return listed.get(folded) ?? (folded.includes('.') && sourceOfHost(folded) ? folded : undefined)
}

/** Tells whether a source is spelled as it is listed. */
export const isListed = (source: string): boolean => listedSpelling(source) === source

/**
 * Returns the known source of a referrer's host or Android package name; upper and lower case are equal.
 * The most specific entry wins: mail.google.com is Gmail, google.co.uk is Google.
 */
export function sourceOfHost(host: string): KnownSource | undefined {
  return lookUpHost(withoutWww(host.toLowerCase()))
}

/** @param spelled a result of `spelling` */
function sourceOfSpelling(spelled: string): KnownSource | undefined {
  return spellings.get(spelled) ?? (spelled.includes('.') ? sourceOfHost(spelled) : undefined)
}

/** Removes one leading `www.` */
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
  return webmailHost.test(host) ? webmail : undefined
})

/** A subdomain for reading mail: `webmail.example.org`, `mail.example.co.uk`. */
const webmailHost = /^(?:(?:e|web)?mail\d*|owa|roundcube|zimbra|poczta|correo)\.(?:[^.]+\.)+[^.]+$/
const webmail: KnownSource = { name: '', category: 'email', isOurs: true }

/** Matches `.com`, `.cat` and country suffixes only: under others a stranger can register a known name (google.blog). */
function isCommonSuffix(publicSuffix: string): boolean {
  return publicSuffix === 'com' || publicSuffix === 'cat' || /(^|\.)[a-z]{2}$/.test(publicSuffix)
}

/** Returns one form for all spellings of a tag: lower case, with spaces for `-` and `_`. */
function spelling(tag: string): string {
  return tag
    .trim()
    .toLowerCase()
    .replace(/[-_\s]+/g, ' ')
}

function afterDot(host: string): string {
  return host.slice(host.indexOf('.') + 1)
}

/** Meaning of a `utm_source` (or `source`, `ref`): `fb`, `Google-Ads`, `l.facebook.com`. */
export interface TaggedSource {
  known: KnownSource | undefined
  /** True if the tag names advertisements, of a known or an unknown source. */
  isAd: boolean
}

const adSpellings = new Map(
  knownSources.flatMap(source => (source.adAliases ?? []).map(alias => [spelling(alias), source] as const)),
)

/** Cached, because most tagged hits share a few tags. */
export const sourceOfTag = remember(10_000, readTag)

function readTag(tag: string): TaggedSource {
  const spelled = spelling(tag)
  const known = sourceOfSpelling(spelled) ?? (tag.includes('.') ? sourceOfHost(tag.trim()) : undefined)
  return known ? { known, isAd: false } : (readAd(spelled) ?? { known: undefined, isAd: false })
}

/**
 * Recognises advertisements: `fb ads`, `facebook feed ad`, `google ads brand`, `fbads`, that is a known network before the
 * word `ads` or `ad`, or joined with it. Without a known network, only `ads` as the last word counts: `downloads`, `leads`
 * and `print ad` are not advertisements.
 */
function readAd(spelled: string): TaggedSource | undefined {
  const words = spelled.split(' ').slice(0, MOST_WORDS)
  for (const [index, word] of words.entries()) {
    const upTo = words.slice(0, index).join(' ')
    const known = adSpellings.get(join(upTo, word)) ?? networkBefore(upTo, word)
    if (known) return { known, isAd: true }
  }
  return /[^ ] ads$/.test(spelled) ? { known: undefined, isAd: true } : undefined
}

/** Only this many words are searched for a network; real tags are shorter. */
const MOST_WORDS = 8

/**
 * Returns the known network before the word `ads` or `ad`, or joined with it.
 * @param upTo the words before `word`
 */
function networkBefore(upTo: string, word: string): KnownSource | undefined {
  const [, runOn] = /^(.*?)ads?$/.exec(word) ?? []
  if (runOn === undefined) return undefined
  if (runOn !== '') return sourceOfSpelling(join(upTo, runOn))
  for (let rest = upTo; rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf(' ')))) {
    const known = sourceOfSpelling(rest)
    if (known) return known
  }
  return undefined
}

const join = (before: string, word: string) => (before === '' ? word : `${before} ${word}`)
