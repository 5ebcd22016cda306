import { createIsbotFromList, list } from 'isbot'
import { crawlerNames } from './crawler-names.ts'
import { remember } from './remember.ts'

/**
 * Patterns of the bot list that match anything that is not a browser. They do not prove a crawler: backends that report
 * their users' hits send such agents too (`acme-shop/2.1`, `Java/17`), and so do apps of readers and listeners.
 */
const notOnlyCrawlers = new Set([
  // plain product tokens
  '^[\\w \\.\\-\\(?:\\):%]+(?:/v?\\d+(?:\\.\\d+)?(?:\\.\\d{1,10})*?)?(?:,|$)',
  '^[\\w\\-]+/[\\w]+$',
  '^\\w+/[\\w\\(\\)]*$',
  '^\\w+/\\d\\.\\d\\s\\([\\w@]+\\)$',
  '^[^ ]{50,}$',
  '^\\d+\\b',
  '\\b\\w+/1\\.0;',
  '^mozilla/\\d\\.\\d\\s[\\w\\.-]+$',
  // libraries, runtimes, servers and relays
  '(?<!lib)http',
  '\\bperl\\b',
  '^apache/',
  '^azure',
  '^client/',
  '^custom',
  '^jetty/',
  '^php',
  '^postman',
  '^python',
  '^rest',
  '^stape/',
  '^track',
  '^wget',
  '^wordpress',
  'agent\\b',
  'java(?!;)',
  'library',
  'node\\b',
  'server',
  'synapse',
  'tools',
  'url',
  // names of apps and devices, and marks that they carry
  '(?:^|[^g])news(?!sapphire)',
  '(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))',
  '\\(\\)',
  ';\\s\\w+;$',
  '\\|',
  '^[<\\(;]',
  '^amaya',
  '^ddg[_-]android',
  '^duckduckgo',
  '^netsurf',
  '^rss',
  '^whatsapp',
  '^yandex',
  'catch',
  'discovery',
  'download',
  'torrent',
])

/** Narrower replacements for the excluded patterns, and crawlers that only the excluded patterns matched. */
const crawlersOnly = [
  'https?://',
  '(?<!c)url(?!lib)',
  '^mozilla.*(?:agent\\b|library|server|tools)',
  '^meta-external',
  '^colly\\b',
  '^kube-probe/',
  '^prometheus/',
  '^zgrab',
  'scrapy',
  'uptime',
  'google(?!(?:wv|app|/google| pixel| fiber| update|podcasts|earth))',
  '^whatsapp(?!.* device/[^x])',
  '^(?:(?:newspaper|newsnow|newsgator|newsblur|feedly)\\b|google.?news)',
  '(?:chatgpt|claude|perplexity|mistralai|duckassist)-user',
]

const looksLikeCrawler = createIsbotFromList([
  ...list.filter(pattern => !notOnlyCrawlers.has(pattern)),
  ...crawlersOnly,
])

/** An agent of this shape is a crawler only by a strong sign: words that only resemble a crawler's occur in names of apps. */
const browserShaped = /^\W*(?:mozilla|opera|dalvik|applewebkit)\/\d/i

/** Apps name the system they run on; some podcast players do not. */
const appShaped = new RegExp(
  [
    'android|\\bi(?:os|pados)\\b|iphone|ipad|ipod|apple watch|watchos|cfnetwork/|darwin/|mac ?os|macintosh|windows',
    'midp|symbian|series60|up\\.link|ucweb|kaios|harmony|tizen|webos|roku|podcast|^(?:c|hermes)?pod|^bullhorn|^adori|^castro',
  ].join('|'),
  'i',
)

/**
 * Names of devices, which prove nothing (`BOT 550`, `Spider 8`, `Capture+`): the model after Android's version, with or
 * without a locale between them, and the fields in which the apps of Instagram and Facebook repeat it.
 */
const deviceNames =
  /(?<=\bAndroid\b[^;()]*;(?: *[a-z]{2}[-_][a-z]{2,4};)?(?: *HarmonyOS[^;()]*;)?)[^();]+|\bAndroid \(\d[^)]*\)|\bFB[A-Z]{2}\/[^;\]]*/gi

const selfNamed =
  /(?:(?<!cu)bot|crawler|spider|scraper|fetcher|scanner|scan|checker|monitor|monitoring|classifier|measurement)s?(?:$|[\s;:,./()_-])/i
const namesCrawler = new RegExp(`(?<![a-z\\d])(?:${crawlerNames})(?![a-z])`, 'i')

/** Browsers that call themselves compatible, and systems that some of them name first. */
const compatible =
  'msie (?!or)|mspie|konqueror|icab|offbyone|a?browse|ibrowse|netpositive|webtv|dillo|opera|origyn|ncbrowser|gecko|kun/|' +
  'polaris|teleca|ms-office|avantgo|omniweb|lotus|galeon|netscape|mozilla|voyager|amiga|risc os|oss/|brew|windows|linux|u;'

const strongSigns = new RegExp(
  [
    `compatible;[\\s+]*(?!${compatible})\\w`,
    // An address. The embedded browser of Delphi programs links its home page, bsalsa.com.
    'https?://(?!bsalsa)|www\\.|[\\w.+-]+@[a-z][\\w-]*(?:\\.[\\w-]+)*\\.[a-z]{2,}\\b|\\+[\\w-]+\\.[a-z]{2,}',
    'like gecko; ?(?!opera)[a-z]',
    'headless',
  ].join('|'),
  'i',
)

/** HTTP libraries by their first token. Checked before the bot list: many add a link to their home page, as crawlers do. */
const httpLibrary = new RegExp(
  `^(?:${[
    'aiohttp|httpx|hackney|req|finch|mint|tesla|httpoison',
    'axios|node|node-fetch|node-superagent|superagent|undici|got|ky|needle|request|bun|deno|k6|insomnia|postman\\w*',
    'apache-httpasyncclient|apache-httpclient|jakarta commons-httpclient|java|jetty|java-http-client|ktor',
    'okhttp|retrofit|unirest-java|reactornetty|spring\\w*|vert\\.x|akka-http|sttp|dispatch|google-http-java-client',
    'curl|libcurl|pycurl|wget|wget2|httpie|xh|hurl|bruno\\w*|paw|rapidapi|thunder client|advanced rest client',
    'go-http-client|go-resty|fasthttp|reqwest|hyper|ureq|surf|isahc|rust\\S*',
    'guzzle\\w*|php|symfony|zend\\w*|laminas\\w*|buzz|requests|wordpress|pecl|php-curl-class|wp',
    'python\\S*|urllib3|tornado|niquests|faraday|ruby|rest-client|typhoeus|httparty|mechanize|excon|http\\.rb',
    'libwww-perl|lwp\\S*|perl|mojolicious|http-tiny|winhttp|restsharp|flurl\\S*|\\.net|dart|cfnetwork|alamofire|afnetworking',
    'google-api-\\S+|amazon sns|microsoft\\.\\S+|azure\\S*|apache-synapse|synapse-pt\\S*|synapse',
  ].join('|')})(?=[\\s/;(]|$)`,
  'i',
)

const judge = remember(10_000, (userAgent: string): boolean => {
  const agent = userAgent.replace(deviceNames, '')
  if (selfNamed.test(agent) || namesCrawler.test(agent)) return true
  if (browserShaped.test(agent)) return strongSigns.test(agent)
  if (httpLibrary.test(agent)) return false
  return looksLikeCrawler(agent) && (/mozilla\//i.test(agent) || !appShaped.test(userAgent))
})

/**
 * Tells whether a user agent is a crawler: search engines, AI, previews, monitors, headless browsers. HTTP libraries and
 * an absent agent are not crawlers, because servers report their users' hits with them.
 */
export function isCrawler(userAgent: string | undefined): boolean {
  return userAgent ? judge(userAgent.trim()) : false
}
