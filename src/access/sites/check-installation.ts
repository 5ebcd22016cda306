import { z } from 'zod'
import type { Config } from '../../platform/config/config.ts'
import { type Attributes, readScripts } from '../../platform/lib/html-scripts.ts'
import { type FetchedPage, fetchPage } from '../../platform/net/fetch-page.ts'
import { PUBLIC_INTERNET, type Reach } from '../../platform/net/public-fetch.ts'
import { label } from '../../platform/schema/fields.ts'
import type { Services } from '../../platform/services.ts'
import type { SiteRecord } from './site-schema.ts'

/** Twice this timeout (https, then http) is less than the deadline of a call. */
export const PAGE_REACH: Reach = { ...PUBLIC_INTERNET, timeoutMs: 4_000, maxBytes: 1024 * 1024 }

const REASONS = [
  'outside_tag',
  'no_key',
  'tag_manager',
  'page_cut',
  'unknown_host',
  'not_public',
  'bad_port',
  'timed_out',
  'bad_certificate',
  'connection_failed',
  'bad_status',
  'not_html',
  'bad_redirect',
  'too_many_redirects',
] as const
type Reason = (typeof REASONS)[number]

/** @see docs/api.md "Check the installation" */
export const Installation = z
  .object({
    status: z
      .enum(['found', 'other_key', 'missing', 'unreachable'])
      .meta({ description: 'What the page has.' }),
    url: z.string().meta({
      format: 'uri',
      description: 'The page that was looked at, after redirects.',
      example: 'https://example.com/',
    }),
    reason: z
      .enum(REASONS)
      .nullable()
      .meta({ description: 'Why, for programs; null where the status says it all.', example: null }),
    detail: label('The same for people.', 'https://example.com/ answered with status 403.').nullable(),
  })
  .meta({ id: 'Installation' })
export type Installation = z.infer<typeof Installation>

type CheckedSite = Pick<SiteRecord, 'domain' | 'trackingKey'>

/** Fetches the start page of a site, over https or else http, and looks for the tracker's script tag. */
export async function checkInstallation(
  { config, pageReach }: Pick<Services, 'config' | 'pageReach'>,
  site: CheckedSite,
): Promise<Installation> {
  const start = new URL(`https://${site.domain}/`)
  const secure = await fetchPage(start, pageReach)
  if ('html' in secure) return judge(secure, site, config)
  // Http asks the same address.
  const isOfAddress = ['unknown_host', 'not_public', 'bad_port'].includes(secure.problem)
  if (isOfAddress && secure.url === start) return unreachable(secure)
  const plainStart = new URL(`http://${site.domain}/`)
  const plain = await fetchPage(plainStart, pageReach)
  if ('html' in plain) return judge(plain, site, config)
  return unreachable(isAnswered(secure, start) || !isAnswered(plain, plainStart) ? secure : plain)
}

type Page = Extract<FetchedPage, { html: string }>
type Failure = Exclude<FetchedPage, Page>

/** Returns whether a server answered at all, be it with a redirect. */
const isAnswered = ({ problem, url }: Failure, start: URL): boolean =>
  url !== start || ['bad_status', 'not_html', 'bad_redirect', 'too_many_redirects'].includes(problem)

/** Script tags whose addresses are looked at: parsing more would block the process. */
const MOST_SCRIPTS = 2_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @returns what the HTML of a page says; scripts are not run */
function judge({ url, html, isCut }: Page, site: CheckedSite, config: Pick<Config, 'baseUrl'>): Installation {
  const answer = (
    status: Installation['status'],
    reason: Reason | null = null,
    detail: string | null = null,
  ) => ({
    ...{ status, url: url.href, reason, detail },
  })
  const { scripts, text } = readScripts(html)
  const keys = scripts.map(keyOf)
  if (keys.includes(site.trackingKey)) return answer('found')
  if (text.toLowerCase().includes(site.trackingKey)) {
    return answer(
      'found',
      'outside_tag',
      'The key is in the page, but in no script tag: a script seems to add the tag.',
    )
  }
  const ours = scripts.slice(0, MOST_SCRIPTS).flatMap((script, index) => {
    const src = trackerOf(script.get('src'), url)
    return src ? [{ key: keys[index] ?? '', isFromHere: src.origin === new URL(config.baseUrl).origin }] : []
  })
  const other = ours.find(({ key }) => key !== '')
  if (other) {
    const shown = UUID.test(other.key) ? `the key ${other.key}` : 'a key that is none'
    return answer('other_key', null, `The tag has ${shown}; this site has ${site.trackingKey}.`)
  }
  if (ours.some(({ isFromHere }) => isFromHere))
    return answer('missing', 'no_key', 'The tag has no data-key.')
  if (text.includes('googletagmanager.com')) {
    const detail = 'The page loads Google Tag Manager, which may add the tag: scripts are not run here.'
    return answer('missing', 'tag_manager', detail)
  }
  if (isCut) return answer('missing', 'page_cut', 'Only the first MiB of the page was looked at.')
  return answer('missing')
}

/** Returns the key of a script tag, which may stand in the query of its address. */
function keyOf(script: Attributes): string | undefined {
  const key =
    script.get('data-key') ?? /script\.js\?(?:.*&(?:amp;)?)?key=([^&#]*)/.exec(script.get('src') ?? '')?.[1]
  return key?.trim().toLowerCase()
}

/** Returns the address of a tracker script, of this service or under an alias; undefined for any other. */
function trackerOf(src: string | undefined, page: URL): URL | undefined {
  if (src === undefined || !URL.canParse(src, page.href)) return undefined
  const address = new URL(src, page)
  return address.pathname.endsWith('/script.js') ? address : undefined
}

function unreachable(failure: Failure): Installation {
  return { status: 'unreachable', url: failure.url.href, reason: failure.problem, detail: explain(failure) }
}

function explain(failure: Failure): string {
  const { host, href } = failure.url
  switch (failure.problem) {
    case 'unknown_host':
      return `No name server knows ${host}.`
    case 'not_public':
      return `${host} has an address that is not public, and pages are only fetched from the public internet.`
    case 'bad_port':
      return `Pages are not fetched from the port of ${host}.`
    case 'timed_out':
      return `${href} did not answer in time.`
    case 'bad_certificate':
      return `The certificate of ${host} is not valid.`
    case 'connection_failed':
      return `The connection to ${host} failed.`
    case 'bad_status':
      return `${href} answered with status ${failure.status}.`
    case 'not_html':
      return `${href} is not a web page.`
    case 'bad_redirect':
      return `${href} redirects to an address that is not fetched.`
    case 'too_many_redirects':
      return 'The page redirects more than three times.'
  }
}
