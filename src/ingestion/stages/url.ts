import type { EnrichedHit } from '../hit.ts'

/** Tags in the query of a landing URL; absent tags are empty. */
interface Tags {
  utmSource: string
  utmMedium: string
  utmCampaign: string
  utmContent: string
  utmTerm: string
  /** Value of `source`, else of `ref`: the short forms that link directories use. */
  source: string
  /** Ad network whose click id is in the link. */
  adClick: 'Google' | 'Bing' | ''
  /** Social network whose click id is in the link. Networks add it to unpaid links, too. */
  socialClick: 'Facebook' | 'TikTok' | 'X' | 'LinkedIn' | ''
}

type TextTag = Exclude<keyof Tags, 'adClick' | 'socialClick'> | 'ref'

const textTags = new Map<string, TextTag>([
  ['utm_source', 'utmSource'],
  ['utm_medium', 'utmMedium'],
  ['utm_campaign', 'utmCampaign'],
  ['utm_content', 'utmContent'],
  ['utm_term', 'utmTerm'],
  ['source', 'source'],
  ['ref', 'ref'],
])

const adClicks = new Map<string, 'Google' | 'Bing'>([
  ['gclid', 'Google'],
  ['gbraid', 'Google'],
  ['wbraid', 'Google'],
  ['msclkid', 'Bing'],
])

const socialClicks = new Map<string, Tags['socialClick']>([
  ['fbclid', 'Facebook'],
  ['ttclid', 'TikTok'],
  ['twclid', 'X'],
  ['li_fat_id', 'LinkedIn'],
])

const noTags: Readonly<Tags> = Object.freeze({
  utmSource: '',
  utmMedium: '',
  utmCampaign: '',
  utmContent: '',
  utmTerm: '',
  source: '',
  adClick: '',
  socialClick: '',
})

/** Sets `path` and the five UTM tags. Removes the origin when a full URL was sent as path. */
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
 * Reads the tags from the query of a URL or path. Names are case-insensitive, and the first value that is not blank counts.
 * Values are form-decoded (`+` is a space, invalid UTF-8 becomes U+FFFD), trimmed, and without NULs.
 */
export function readTags(url: string | undefined): Readonly<Tags> {
  const query = queryOf(url)
  if (!query) return noTags
  if (query !== latest.query) latest = { query, tags: parseTags(query) }
  return latest.tags
}

/** Cache of one result: two stages in a row read the tags of the same URL. */
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
      tags.socialClick ||= socialClicks.get(name) ?? ''
    }
  }
  tags.source ||= ref
  return tags
}

/** Removes the `amp;` that mail programs leave before a name when they escape a link twice. */
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
