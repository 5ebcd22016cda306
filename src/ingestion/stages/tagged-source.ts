import { sourceOfHost, sourceOfSpelling, spelling } from './known-source.ts'
import { remember } from './remember.ts'
import { type KnownSource, knownSources } from './sources.ts'

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
