import { createIsbotFromList, list } from 'isbot'
import { remember } from './remember.ts'

/**
 * Patterns of the bot list that match anything that is not a browser. They do not prove a crawler: backends that report
 * their users' hits send such agents too (`acme-shop/2.1`, `Java/17`).
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
  '(?:chatgpt|claude|perplexity|mistralai|duckassist)-user',
]

const looksLikeCrawler = createIsbotFromList([
  ...list.filter(pattern => !notOnlyCrawlers.has(pattern)),
  ...crawlersOnly,
])

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
const namesItselfCrawler = /(?:bot|crawler|spider|scraper)\b/i

const judge = remember(10_000, (userAgent: string): boolean =>
  httpLibrary.test(userAgent) ? namesItselfCrawler.test(userAgent) : looksLikeCrawler(userAgent),
)

/**
 * Tells whether a user agent is a crawler: search engines, AI, previews, monitors, headless browsers. HTTP libraries and
 * an absent agent are not crawlers, because servers report their users' hits with them.
 */
export function isCrawler(userAgent: string | undefined): boolean {
  return userAgent ? judge(userAgent.trim()) : false
}
