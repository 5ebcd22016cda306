import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { cut } from '../../platform/schema/validation.ts'
import type { EnrichedHit } from '../hit.ts'
import { remember } from './remember.ts'
import { withoutWww } from './sources/find-source.ts'

/**
 * Sets `referrerPage`: host (lower case, `www.` and port as sent) and path of the referrer; the path `/` alone is removed.
 * Empty for the site's own host, for schemes other than the web and apps, and for invalid referrers.
 */
export function readReferrer(hit: EnrichedHit): void {
  const referrer = hit.referrer?.trim()
  if (!referrer) return
  const page = referrer.length > LONGEST_REMEMBERED ? readReferring(referrer) : rememberedReferring(referrer)
  if (!page || bareHost(page.host) === bareHost(asciiHost(hit.hostname))) return
  hit.referrerPage = cut(page.host + (page.path === '/' ? '' : page.path), LONGEST)
}

/** Returns the host name of a `referrerPage` without port and `www.`; empty when the page is empty. */
export function hostOfPage(referrerPage: string): string {
  const slash = referrerPage.indexOf('/')
  return bareHost(slash === -1 ? referrerPage : referrerPage.slice(0, slash))
}

/** Equals the limit for a sent referrer. Escaping in the URL parser can make it up to twelve times as long. */
const LONGEST = 2_048

interface Page {
  host: string
  path: string
}

const appUrl = /^(?:android|ios)-app:\/\/([\w.-]+)([^?#]*)/i
const webUrl = /^https?:\/\//i
const anyScheme = /^[a-z][a-z\d+.-]*:(?!\d)/i

/** Longer referrers are not cached: they come from searches and campaigns and rarely repeat. */
const LONGEST_REMEMBERED = 300

const readReferring = (referrer: string): Page | undefined => readApp(referrer) ?? readPage(referrer)
const rememberedReferring = remember(5_000, readReferring)

/** An app referrer names a package: `android-app://com.slack/`. */
function readApp(referrer: string): Page | undefined {
  const match = appUrl.exec(referrer)
  return match ? { host: match[1] as string, path: match[2] as string } : undefined
}

function readPage(referrer: string): Page | undefined {
  if (webUrl.test(referrer)) return parsePage(referrer)
  if (referrer.startsWith('//')) return parsePage(`https:${referrer}`)
  if (anyScheme.test(referrer)) return undefined
  // Without a scheme, only text with a real domain suffix is a host; `index.html` and `null` are not.
  const page = parsePage(`https://${referrer}`)
  return page && parse(page.host).isIcann && parse(page.host).domain ? page : undefined
}

function parsePage(url: string): Page | undefined {
  if (!URL.canParse(url)) return undefined
  const { host, pathname } = new URL(url)
  return host ? { host, path: pathname } : undefined
}

function bareHost(host: string): string {
  return withoutWww(host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, ''))
}

/** Converts a sent host name to punycode, because URL parsing has already converted the referrer's host. */
function asciiHost(host: string): string {
  return /^[\0-\x7f]*$/.test(host) ? host : domainToASCII(host.replace(/:\d+$/, '')) || host
}
