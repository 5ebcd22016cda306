import { isCrawler } from '../../../ingestion/stages/crawler.ts'

/** A request of a log, as far as the log says. */
export interface LoggedRequest {
  /** Unix milliseconds. */
  at: number | undefined
  ip: string | undefined
  method: string | undefined
  /** Path and query as sent. */
  uri: string | undefined
  status: number | undefined
  host?: string | undefined
  referrer?: string | undefined
  /** Undefined: the log has no user agents; empty: the visitor sent none. */
  userAgent?: string | undefined
  /** Content type of the answer; undefined: the log does not say. */
  contentType?: string | undefined
  language?: string | undefined
  /** What the browser asked for, from the header `Sec-Fetch-Dest`. */
  destination?: string | undefined
  /** From `Sec-Purpose`, `Purpose` or `X-Moz`. */
  purpose?: string | undefined
  requestedWith?: string | undefined
  /** The log itself says that a machine asked. */
  isBot?: boolean | undefined
  location?: { country?: unknown; region?: unknown; city?: unknown } | undefined
  device?: string | undefined
}

/** Returns why a request is no view of a page by a person; undefined for one that is. */
export function reasonAgainst(request: LoggedRequest): string | undefined {
  const { method, status, uri = '', userAgent, contentType, destination, purpose, requestedWith } = request
  if (method !== 'GET') return 'not GET'
  if (status === undefined) return 'no status'
  if (status >= 400) return 'error'
  // 304: the page is shown from the cache of the browser.
  if (status !== 200 && status !== 304) return status >= 300 ? 'redirect' : 'answer without a page'
  if (!uri.startsWith('/') && !/^https?:\/\//i.test(uri)) return 'no address'
  const other = contentType ? kindOfContent(contentType) : kindOfAddress(uri)
  if (other) return other
  if (ADMINISTRATION.test(pathOf(uri))) return NO_PAGE_OF_VISITORS
  if (destination && destination !== 'document') return NOT_A_PAGE
  if (/^XMLHttpRequest$/i.test(requestedWith ?? '')) return NO_PAGE_OF_VISITORS
  if (purpose && /prefetch|prerender|preview/i.test(purpose)) return 'page that was only fetched ahead'
  if (request.isBot || isCrawler(userAgent)) return 'crawler'
  if (userAgent !== undefined && !BROWSER.test(userAgent)) return 'not a browser'
  return undefined
}

const NOT_A_PAGE = 'file, not a page'

/** Browsers begin like this. HTTP libraries, monitors and feed readers mostly name themselves. */
const BROWSER = /^(mozilla\/|opera[/ ]|lynx\/|w3m\/|e?links \(|netsurf\/|dillo\/)/i

const EXTENSIONS = new Set(
  [
    'css js mjs cjs map json jsonld xml rss atom txt md wasm webmanifest manifest appcache ts tsx jsx vue scss less',
    'png jpg jpeg jpe gif svg svgz webp avif ico bmp tif tiff apng heic heif jxl psd cur',
    'woff woff2 ttf otf eot mp3 mp4 m4a m4v m4s webm ogg ogv oga opus wav flac aac avi mov mkv mpg mpeg wmv flv m3u8 mpd vtt srt',
    'pdf doc docx xls xlsx ppt pptx odt ods odp rtf csv tsv epub mobi ics vcf kml gpx geojson',
    'zip gz tgz bz2 xz 7z rar tar zst br dmg pkg exe msi apk ipa deb rpm iso img jar whl crx bin dat sql bak db sqlite log',
    'env ini conf cfg yml yaml toml lock pem key crt cer asc sig torrent swf cgi pl sh bat ps1 asmx axd svc ashx',
  ]
    .join(' ')
    .split(' '),
)

const NO_PAGE_OF_VISITORS = 'call of an API, feed, probe or administration'

/** Addresses of interfaces, feeds and probes that are the same on many websites. */
const INTERFACES = new RegExp(
  `^/(?:${[
    'api|graphql|wp-json|wp-cron\\.php|xmlrpc\\.php|cgi-bin|cdn-cgi|\\.well-known|_next|_nuxt|__data|_vercel',
    'socket\\.io|sockjs|trpc|feed|rss|healthz?|livez|readyz|ping|metrics|server-status',
  ].join('|')})(?:/|$)|/(?:feed|trackback|oembed)/?$`,
  'i',
)
const ADMINISTRATION = /^\/(?:wp-admin|wp-login\.php|phpmyadmin)(?:\/|$)/i

const kindOfContent = (type: string) =>
  /^(text\/html|application\/xhtml\+xml)\b/i.test(type) ? undefined : NOT_A_PAGE

function kindOfAddress(uri: string): string | undefined {
  const path = pathOf(uri)
  const extension = /\.([a-z][a-z0-9]{0,11})$/i.exec(path.slice(path.lastIndexOf('/') + 1))?.[1]
  if (extension && EXTENSIONS.has(extension.toLowerCase())) return NOT_A_PAGE
  return INTERFACES.test(path) ? NO_PAGE_OF_VISITORS : undefined
}

const pathOf = (uri: string) => uri.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/'
