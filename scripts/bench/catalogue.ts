import type { Random } from '../random.ts'

// The values in the hits of a generated site.

export const PATHS = 2_000

const SECTIONS = ['blog', 'docs', 'pricing', 'product', 'help', 'jobs', 'news', 'shop']

/** Returns the page of a rank; each page has its own path and title. */
export function pageOf(rank: number): { path: string; title: string } {
  if (rank === 0) return { path: '/', title: 'Home' }
  const section = SECTIONS[rank % SECTIONS.length]!
  return { path: `/${section}/page-${rank}`, title: `${section} page ${rank} – Benchmark` }
}

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.% Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.% Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:%.0) Gecko/20100101 Firefox/%.0',
  'Mozilla/5.0 (X11; Linux x86_64; rv:%.0) Gecko/20100101 Firefox/%.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%.0.0.0 Safari/537.36 Edg/%.0.0.0',
]

/** Returns the user agent of a random browser in one of 30 versions. */
export function agentOf(random: Random): string {
  return random.pick(AGENTS).replaceAll('%', String(110 + random.below(30)))
}

/** First octets with only public IPv4 addresses, so that almost all addresses have a country. */
const OCTETS = [2, 5, 17, 24, 31, 37, 41, 46, 62, 71, 80, 91, 101, 109, 118, 133, 151, 177, 187, 202, 212]

export const addressOf = (random: Random): string =>
  `${random.pick(OCTETS)}.${random.below(256)}.${random.below(256)}.${1 + random.below(254)}`

const REFERRERS = [
  'https://www.google.com/',
  'https://www.google.com/',
  'https://duckduckgo.com/',
  'https://www.bing.com/',
  'https://news.ycombinator.com/item?id=1',
  'https://www.reddit.com/r/webdev/',
  'https://t.co/abc',
  'https://www.linkedin.com/',
  'https://partner.example.org/links',
]
const TAGS = [
  'utm_source=newsletter&utm_medium=email&utm_campaign=weekly',
  'utm_source=google&utm_medium=cpc&utm_campaign=brand&utm_term=analytics',
  'utm_source=google&utm_medium=cpc&utm_campaign=generic&utm_content=b',
  'utm_source=facebook&utm_medium=social&utm_campaign=spring',
]

/** Returns the origin of a session: 40 % have none, 20 % have UTM tags, 40 % have a referrer. */
export function originOf(random: Random): { referrer?: string; tags?: string } {
  const draw = random.next()
  if (draw < 0.4) return {}
  return draw < 0.6 ? { tags: random.pick(TAGS) } : { referrer: random.pick(REFERRERS) }
}

export const SCREENS = [
  { width: 1920, height: 1080 },
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 820, height: 1180 },
]
export const LANGUAGES = ['en-US', 'en-GB', 'de', 'fr', 'pt-BR', 'ja']

/** Names of custom events, the most frequent first. */
export const EVENT_NAMES = ['signup', 'purchase', 'search', 'video_play', 'add_to_cart', 'share', 'comment']

/** Returns the error of a rank; the visits use 40 different errors. */
export function errorOf(rank: number): { name: string; message: string; stack: string } {
  const name = ['TypeError', 'RangeError', 'Error', 'SyntaxError'][rank % 4]!
  const message = `part ${rank} of the page is not a function`
  return { name, message, stack: `${name}: ${message}\n    at run (https://bench.example/app.js:${rank}:7)` }
}

/** Returns one of 300 clicks that the tracker records by itself, as fields of an event. */
export function clickOf(random: Random): { name: string; properties: Record<string, string> } {
  const place = Math.floor(random.next() ** 2 * 100)
  const selector = `main > section:nth-of-type(${place}) > a`
  const name = random.pick(['button', 'outbound', 'form'])
  return {
    name,
    properties: name === 'outbound' ? { selector, url: `https://partner.example/${place}` } : { selector },
  }
}

/** Returns the metrics of a page as its visitor measured them: most are good, and some are very slow. */
export function vitalsOf(random: Random): Record<string, number | object> {
  const slowness = 0.4 + random.next() ** 3 * 4
  return {
    lcp: Math.round(1_500 * slowness),
    inp: Math.round(120 * slowness),
    cls: Math.round(500 * slowness) / 10_000,
    fcp: Math.round(900 * slowness),
    ttfb: Math.round(400 * slowness),
    attribution: {
      lcp: { target: '#hero > img', phase: random.pick(['resource_load_duration', 'element_render_delay']) },
    },
  }
}
