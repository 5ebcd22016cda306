import { sourceOfHost, sourceOfSpelling, spelling } from './known-source.ts'
import { remember } from './remember.ts'
import { type KnownSource, knownSources } from './sources.ts'

/** What a `utm_source` (or `source`, `ref`) means: `fb`, `Google-Ads`, `l.facebook.com`. */
export interface TaggedSource {
  known: KnownSource | undefined
  /** It names the advertisements of that source, or of one that is not known. */
  isAd: boolean
}

const adSpellings = new Map(
  knownSources.flatMap(source => (source.adAliases ?? []).map(alias => [spelling(alias), source] as const)),
)

/** Remembered, since most hits have one of a few tags. */
export const sourceOfTag = remember(10_000, readTag)

function readTag(tag: string): TaggedSource {
  const spelled = spelling(tag)
  const known = sourceOfSpelling(spelled) ?? (tag.includes('.') ? sourceOfHost(tag.trim()) : undefined)
  return known ? { known, isAd: false } : (readAd(spelled) ?? { known: undefined, isAd: false })
}

/**
 * `fb ads`, `facebook feed ad`, `google ads brand`, `fbads`: a known network before the word `ads` or `ad`, or run together
 * with it. Without a known network only the last word `ads` is one: `downloads`, `leads` and `print ad` are none.
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

/** Nobody names a network behind more words than this. */
const MOST_WORDS = 8

/** @param upTo the words before `word` */
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
