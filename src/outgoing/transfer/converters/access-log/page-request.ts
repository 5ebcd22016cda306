import { isCrawler } from '../../../../ingestion/stages/crawler.ts'

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
    'css js mjs cjs map json json5 jsonc jsonl ndjson jsonld xml xsl xslt xsd dtd wsdl rdf owl rss atom opml txt md mdx wasm webmanifest',
    'manifest appcache ts mts cts tsx jsx vue svelte scss sass styl coffee',
    'png jpg jpeg jpe jfif gif svg svgz webp avif ico bmp tif tiff apng heic heif jxl jp2 psd eps raw cr2 dng cur ani tga dds ktx ktx2',
    'glb gltf usdz stl fbx dwg dxf woff woff2 ttf ttc otf eot mp3 mp4 m4a m4b m4v m4s webm ogg ogv oga opus wav flac aac aif aiff mid midi',
    'amr avi mov mkv mpg mpeg m2ts 3gp 3g2 wmv wma flv f4v m3u m3u8 mpd vtt srt pdf ps doc docm docx dotx xls xlsb xlsm xlsx ppt pps ppsx',
    'pptx odt ods odp odg rtf csv tsv parquet avro epub mobi azw3 djvu tex bib ics vcf vcard kml kmz gpx geojson topojson pbf mvt shp',
    'zip gz tgz bz2 tbz2 xz txz 7z rar tar lz lz4 lzma zst br cab dmg pkg exe msi msix appx apk aab ipa deb rpm appimage iso img jar war ear',
    'whl egg gem nupkg vsix xpi crx bin dat dll dylib so sql bak db mdb accdb sqlite sqlite3 dump log old orig swp tmp env ini conf cnf cfg',
    'config properties plist yml yaml toml lock pem key crt cer csr der p12 pfx jks gpg asc sig sha1 sha256 sha512 md5 torrent swf cgi pl pm py',
    'pyc rb lua sh bash zsh bat cmd ps1 psm1 vbs cpp hpp cs java kt swift ipynb patch diff htaccess htpasswd ds_store gitignore mobileconfig',
    'onnx safetensors npy asmx axd svc ashx',
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
