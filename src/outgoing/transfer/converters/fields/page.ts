import { cut, isWithin } from '../../../../platform/schema/validation.ts'
import { LIMITS, plainText, type Texts } from './texts.ts'

export interface Page {
  /** In lower case, without port; undefined when the address names none. */
  hostname?: string | undefined
  /** With query, without fragment. */
  path: string
}

/** Scheme and host; the scheme may be missing before `//`. */
const ORIGIN = /^(?:https?:)?\/\/(?:[^/?#@]*@)?([^/?#]*)/i

/**
 * Splits the address of a page. An address without host is a path; one without a leading slash gets it.
 * @returns undefined for an empty address, and for another scheme than http(s)
 */
export function readPage(address: unknown, texts: Texts): Page | undefined {
  const text = plainText(address)
  if (text === undefined) return undefined
  const origin = ORIGIN.exec(text)
  if (!origin && /^[a-z][a-z\d+.-]*:(?!\d)/i.test(text)) return undefined
  const rest = origin ? text.slice(origin[0].length) : text
  return { hostname: origin ? readHostname(origin[1], texts) : undefined, path: readPath(rest, texts) }
}

/** Returns a host in lower case without port and without a dot at its end. */
export function readHostname(value: unknown, texts: Texts): string | undefined {
  const host = plainText(value)?.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')
  return texts.read(host, LIMITS.hostname, 'host')
}

/** Returns a path with a leading slash and without fragment. */
function readPath(path: string, texts: Texts): string {
  const fragment = path.indexOf('#')
  const sent = fragment === -1 ? path : path.slice(0, fragment)
  return texts.read(sent.startsWith('/') ? sent : `/${sent}`, LIMITS.path, 'address of the page')!
}

/** Tags of a landing page that products keep apart from its address. */
export type Tags = Partial<Record<(typeof TAG_NAMES)[number], unknown>>

export const UTM_NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'] as const
const TAG_NAMES = [...UTM_NAMES, 'ref', 'gclid', 'msclkid'] as const

/**
 * Adds tags to the query of a path: the service reads source and channel from there. A tag that the path has already stays as it is. A
 * path that becomes too long loses the end of its own query.
 */
export function withTags(path: string, tags: Tags, texts: Texts): string {
  const given = TAG_NAMES.flatMap(name => {
    const value = plainText(tags[name])
    return value === undefined ? [] : [[name, cut(value, LONGEST_TAG)] as const]
  })
  if (given.length === 0) return path
  const start = path.indexOf('?')
  const base = start === -1 ? path : path.slice(0, start)
  const query = start === -1 ? '' : path.slice(start + 1)
  const own = new Set([...new URLSearchParams(query).keys()].map(name => name.toLowerCase()))
  const added = new URLSearchParams()
  for (const [name, value] of given) if (!own.has(name)) added.set(name, value)
  if (added.size === 0) return path
  const whole = [query, added].filter(String).join('&')
  if (isWithin(`${base}?${whole}`, LIMITS.path)) return `${base}?${whole}`
  texts.report(`address of the page cut to ${LIMITS.path} characters`)
  const room = LIMITS.path - base.length - String(added).length - 2
  if (room < 0) return cut(`${base}?${added}`, LIMITS.path)
  return `${base}?${added}&${cut(query, room)}`
}

/** Form encoding makes a character up to twelve times as long: five tags must leave room for the path. */
const LONGEST_TAG = 255
