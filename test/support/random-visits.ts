import fc from 'fast-check'
import { type HitStream, type HitStreamOptions, hitStreams, timeOrderArrival } from './random-hits.ts'
import { ordinaryVisit, randomUuid } from './random-ordinary.ts'
import { type Random, randomFrom } from './random-values.ts'
import { byTimeThenId, type Dims, type SentHit } from './recount-hits.ts'

/**
 * The random hits with everything that filters, titles, goals, errors and breakdowns look at: few values each, so
 * that filters match often, and values with what LIKE and regular expressions treat specially.
 */

const hostnames = ['example.com', 'example.com', 'docs.example.com', 'EXAMPLE.com']

const dimValues: Record<keyof Dims, string[]> = {
  source: ['Google', 'Direct / None', 'news_letter'],
  channel: ['Organic Search', 'Direct', 'Email'],
  referrer: ['', 'google.com/search', 't.co/a_b'],
  utm_source: ['', 'news_letter', 'newsXletter'],
  utm_medium: ['', 'email', 'cpc'],
  utm_campaign: ['', 'spring 50%', 'spring 500', 'Spring'],
  utm_content: ['', 'top'],
  utm_term: ['', 'shoes\\boots', 'shoes'],
  browser: ['Chrome', 'Firefox', ''],
  browser_version: ['128.0', '128.0.1', ''],
  os: ['macOS', 'Windows', ''],
  os_version: ['14.5', '11', ''],
  screen: ['1920x1080', '390x844', ''],
  language: ['de-AT', 'en', ''],
  size: ['desktop', 'mobile', 'tablet'],
  country: ['DE', 'US', ''],
  region: ['', 'DE-BE', 'US-NY'],
  city: ['', 'Köln', 'New York'],
}

/** What a path of the plain hits becomes in all of a stream. */
const pathSets: Record<string, string>[] = [
  {},
  { '/docs/long-read': '/docs/100%_read\\me' },
  { '/pricing': '/docs/pricing' },
  { '/pricing': '/docs/Pricing', '/docs/long-read': '/docs/pricing' },
]

const titles = ['Welcome', 'welcome', 'Save 50%_now', 'C:\\docs', 'Grüße 🙂', '']
const customNames = ['signup', 'signup', 'Signup', 'video_play', 'videoXplay', 'Buy 100%']
const autocaptures = ['outbound', 'outbound', 'download', 'button', 'form', 'copy']
const selectors = ['#buy', '.menu > a', '#buy_now', '#buyXnow']
const propKeys = ['plan', 'tier', 'a_b', 'aXb']
const propValues = ['pro', 'Pro', 'free', '', '50%_x', 'a\\b']
const errorNames = [undefined, 'TypeError', 'RangeError']
const errorMessages = [undefined, 'x is not a function', 'x is not a function', 'read 50%_of\\it']

function visitStreams(options: HitStreamOptions): fc.Arbitrary<HitStream> {
  return fc
    .tuple(hitStreams(options), fc.noBias(fc.integer({ min: 0, max: 30 })), fc.nat())
    .map(([stream, ordinaryVisits, seed]) => {
      const random = randomFrom(seed)
      return dressed(withOrdinaryVisits(stream, ordinaryVisits, random), random)
    })
}

/** Each comes as a batch of its own, in time or anywhere between the others. */
function withOrdinaryVisits(stream: HitStream, count: number, random: Random): HitStream {
  const hits = [...stream.hits]
  const late = [...stream.late]
  let visitor = randomUuid(random)
  for (let visits = 0; visits < count; visits++) {
    if (random.chance(0.7)) visitor = randomUuid(random)
    const visit = ordinaryVisit(random, stream.around, visitor)
    hits.push(...visit)
    late.splice(random.int(late.length + 1), 0, visit)
  }
  hits.sort(byTimeThenId)
  return { ...stream, hits, timely: timeOrderArrival(hits, 1 + random.int(12)), late }
}

/** The same stream for the same seed. */
export function randomVisits(seed: number, options: HitStreamOptions = {}): HitStream {
  return fc.sample(visitStreams(options), { seed, numRuns: 1 })[0]!
}

function dressed(stream: HitStream, random: Random): HitStream {
  const pathSet = random.pick(pathSets)
  const usual = new Map<string, Dims>()
  const byId = new Map<string, SentHit>()
  for (const hit of stream.hits) {
    const dims = usual.get(hit.visitor) ?? randomDims(random)
    usual.set(hit.visitor, dims)
    const withPath = hit.path === undefined ? hit : { ...hit, path: pathSet[hit.path] ?? hit.path }
    byId.set(hit.id, dressedHit(withPath, dims, random))
  }
  const inBatches = (batches: SentHit[][]) => batches.map(batch => batch.map(hit => byId.get(hit.id)!))
  return {
    ...stream,
    hits: stream.hits.map(hit => byId.get(hit.id)!),
    timely: inBatches(stream.timely),
    late: inBatches(stream.late),
  }
}

/** Engagement and identities have nothing of their own. */
function dressedHit(hit: SentHit, usual: Dims, random: Random): SentHit {
  if (hit.kind !== 'pageview' && hit.kind !== 'event') return hit
  const dims = random.chance(0.7) ? usual : { ...usual, ...randomDims(random) }
  const common: SentHit = { ...hit, hostname: random.pick(hostnames), dims }
  if (random.chance(0.5)) common.props = randomProps(random)
  return hit.kind === 'pageview' ? dressedPageview(common, random) : dressedEvent(common, random)
}

function dressedPageview(hit: SentHit, random: Random): SentHit {
  return random.chance(0.6) ? hit : { ...hit, title: random.pick(titles) }
}

function dressedEvent(hit: SentHit, random: Random): SentHit {
  const event: SentHit = random.chance(0.5) ? { ...hit, title: random.pick(titles) } : hit
  // The plain hits have few of these.
  const isRare = hit.name !== 'payment' && random.chance(0.35)
  switch (isRare ? random.pick(['outbound', 'error']) : hit.name) {
    case 'outbound': {
      const named = { ...event, name: random.pick(autocaptures) }
      if (random.chance(0.25)) return named
      return { ...named, props: { ...event.props, selector: random.pick(selectors) } }
    }
    case 'error':
      return withError(event, random)
    case 'payment':
      return event
    default:
      return withRevenue({ ...event, name: random.pick(customNames) }, random)
  }
}

function withError(hit: SentHit, random: Random): SentHit {
  const errorName = random.pick(errorNames)
  const errorMessage = random.pick(errorMessages)
  return { ...hit, name: 'error', ...(errorName && { errorName }), ...(errorMessage && { errorMessage }) }
}

function withRevenue(hit: SentHit, random: Random): SentHit {
  if (random.chance(0.5)) return hit
  const currency = random.pick(['USD', 'USD', 'EUR'])
  return { ...hit, revenue: { amountMinor: random.pick([1, 999, 4_999, 1_000_000]), currency } }
}

function randomProps(random: Random): Record<string, string> {
  const props: Record<string, string> = {}
  for (let count = random.int(3); count >= 0; count--) props[random.pick(propKeys)] = random.pick(propValues)
  return props
}

function randomDims(random: Random): Dims {
  const dims: Partial<Dims> = {}
  for (const key of Object.keys(dimValues) as (keyof Dims)[]) dims[key] = random.pick(dimValues[key])
  return dims as Dims
}
