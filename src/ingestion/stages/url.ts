import type { EnrichedHit } from '../hit.ts'

/** What the query of a landing URL says about where the visit came from; empty where it says nothing. */
interface Tags {
  utmSource: string
  utmMedium: string
  utmCampaign: string
  utmContent: string
  utmTerm: string
  /** `source`, else `ref`: the short forms that link directories use. */
  source: string
  /** Whose advertisement was clicked, by the id that its network adds to the link. */
  adClick: 'Google' | 'Bing' | ''
}

type TextTag = Exclude<keyof Tags, 'adClick'> | 'ref'

const textTags = new Map<string, TextTag>([
  ['utm_source', 'utmSource'],
  ['utm_medium', 'utmMedium'],
  ['utm_campaign', 'utmCampaign'],
  ['utm_content', 'utmContent'],
  ['utm_term', 'utmTerm'],
  ['source', 'source'],
  ['ref', 'ref'],
])

/** `fbclid`, `ttclid` and the like are not here: they are put on unpaid links too, or prove no search. */
const adClicks = new Map<string, 'Google' | 'Bing'>([
  ['gclid', 'Google'],
  ['gbraid', 'Google'],
  ['wbraid', 'Google'],
  ['msclkid', 'Bing'],
])

const noTags: Readonly<Tags> = Object.freeze({
  utmSource: '',
  utmMedium: '',
  utmCampaign: '',
  utmContent: '',
  utmTerm: '',
  source: '',
  adClick: '',
})

/** Sets `path` and the five UTM tags. A full URL sent as path loses its origin. */
export function readUrl(hit: EnrichedHit): void {
  if (hit.url === undefined) return
  const tags = readTags(hit.url)
  hit.path = pathOf(hit.url)
  hit.utmSource = tags.utmSource
  hit.utmMedium = tags.utmMedium
  hit.utmCampaign = tags.utmCampaign
  hit.utmContent = tags.utmContent
  hit.utmTerm = tags.utmTerm
}

/**
 * Reads the tags from the query of a URL or path. Names in any case, the first that is not blank counts; values
 * decoded as forms are (`+` is a space, bytes that are no UTF-8 become U+FFFD), without NULs, trimmed.
 */
export function readTags(url: string | undefined): Readonly<Tags> {
  const query = queryOf(url)
  if (!query) return noTags
  if (query !== latest.query) latest = { query, tags: parseTags(query) }
  return latest.tags
}

/** Two stages in a row ask for the tags of the same URL. */
let latest = { query: '', tags: noTags }

function parseTags(query: string): Readonly<Tags> {
  const tags: Tags = { ...noTags }
  let ref = ''
  for (const [key, text] of new URLSearchParams(query)) {
    const name = bareName(key)
    const textTag = textTags.get(name)
    if (textTag) {
      const value = text.replaceAll('\0', '').trim()
      if (textTag === 'ref') ref ||= value
      else tags[textTag] ||= value
    } else if (text) {
      tags.adClick ||= adClicks.get(name) ?? ''
    }
  }
  tags.source ||= ref
  return tags
}

/** Mail programs that escape a link twice leave `amp;` before the names. */
function bareName(key: string): string {
  const name = key.toLowerCase()
  return name.startsWith('amp;') ? name.slice(4) : name
}

function queryOf(url: string | undefined): string {
  const start = url?.indexOf('?') ?? -1
  if (!url || start === -1) return ''
  const fragment = url.indexOf('#')
  if (fragment === -1) return url.slice(start + 1)
  return fragment < start ? '' : url.slice(start + 1, fragment)
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  const sent = (end === -1 ? url : url.slice(0, end)).trim()
  const path = sent.startsWith('/') ? sent : sent.replace(/^https?:\/\/[^/]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
