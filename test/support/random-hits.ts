import fc from 'fast-check'
import { DateTime } from 'luxon'
import { byTimeThenId, type SentHit } from './recount.ts'

/**
 * Random hits that look for trouble: gaps around the 30 minutes and 24 hours of a session, times around local
 * midnights and clock changes, equal times, late hits, hits delivered twice, engagement without a pageview,
 * identities that change.
 */

export const nastyZones =
  'America/New_York Europe/Berlin Asia/Kathmandu Australia/Lord_Howe Africa/Casablanca UTC'.split(' ')

export interface HitStreamOptions {
  zones?: string[]
  /** the hits lie around one moment of this year */
  year?: number
  maxVisitors?: number
  /** a step makes one to five hits, in rare cases 50 */
  maxStepsPerVisitor?: number
}

export interface HitStream {
  zone: string
  /** the local midnight or clock change around which the hits lie, unix ms */
  around: number
  /** each hit once, in (time, id) order */
  hits: SentHit[]
  /** `hits` cut into batches: nothing late, nothing twice */
  timely: SentHit[][]
  /** the same hits, some of them late, some delivered a second time in a later batch */
  late: SentHit[][]
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

type NewHit = Omit<SentHit, 'id' | 'visitor' | 'at'>

/** A hit with its time as milliseconds after the hit before it in the step. */
interface TimedHit {
  gap: number
  hit: NewHit
  /** instead of the step's */
  delay?: number
}

interface Step {
  /** milliseconds after the visitor's hit before, or from the stream's moment when `fromMoment` */
  gap: number
  fromMoment: boolean
  hits: TimedHit[]
  delay: number
  /** delay of a second delivery */
  redelivered: number | null
}

/** Streams of hits for `fc.assert`; they shrink to few visitors and few hits. */
export function hitStreams(options: HitStreamOptions = {}): fc.Arbitrary<HitStream> {
  const { zones = nastyZones, year = 2025, maxVisitors = 4, maxStepsPerVisitor = 14 } = options
  return fc
    .constantFrom(...zones)
    .chain(zone =>
      fc.record({
        zone: fc.constant(zone),
        around: fc.constantFrom(...nastyMoments(zone, year)),
        salt: fc.nat(0xffffffff),
        visitors: fc.array(fc.array(steps, { minLength: 1, maxLength: maxStepsPerVisitor }), {
          minLength: 1,
          maxLength: maxVisitors,
        }),
        batchSizes: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 6 }),
      }),
    )
    .map(({ zone, around, salt, visitors, batchSizes }) => {
      const deliveries = visitors.flatMap((ofVisitor, index) => deliveriesOf(ofVisitor, index, around, salt))
      const hits = deliveries.filter(delivery => !delivery.again).map(delivery => delivery.hit)
      hits.sort(byTimeThenId)
      deliveries.sort((a, b) => a.arrivesAt - b.arrivesAt)
      const arriving = deliveries.map(delivery => delivery.hit)
      return {
        zone,
        around,
        hits,
        timely: inBatches(hits, batchSizes),
        late: inBatches(arriving, batchSizes),
      }
    })
}

/** The same stream for the same seed. */
export function randomHitStream(seed: number, options: HitStreamOptions = {}): HitStream {
  return fc.sample(hitStreams(options), { seed, numRuns: 1 })[0]!
}

/** Everything in time order, one batch for every `batchSize` hits. */
export function timeOrderArrival(hits: SentHit[], batchSize: number): SentHit[][] {
  return inBatches(hits.toSorted(byTimeThenId), [batchSize])
}

const momentsByZone = new Map<string, number[]>()

/** Local midnights and clock changes of a year, unix ms. Kept, because looking for them takes longest. */
export function nastyMoments(zone: string, year: number): number[] {
  const key = `${zone} ${year}`
  const moments = momentsByZone.get(key) ?? findMoments(zone, year)
  momentsByZone.set(key, moments)
  return moments
}

function findMoments(zone: string, year: number): number[] {
  const moments = [`${year}-01-01`, `${year}-03-01`, `${year}-07-15`].map(date =>
    DateTime.fromISO(date, { zone }).startOf('day').toMillis(),
  )
  for (let dayOfYear = 0; dayOfYear < 365; dayOfYear++) {
    const end = Date.UTC(year, 0, 2 + dayOfYear)
    if (offsetAt(zone, end) === offsetAt(zone, end - day)) continue
    const change = clockChangeBefore(zone, end)
    const localDay = DateTime.fromMillis(change, { zone }).startOf('day')
    moments.push(change, localDay.toMillis(), localDay.plus({ days: 1 }).toMillis())
  }
  return moments
}

function offsetAt(zone: string, at: number): number {
  return DateTime.fromMillis(at, { zone }).offset
}

function clockChangeBefore(zone: string, at: number): number {
  let change = at
  while (offsetAt(zone, change - minute) === offsetAt(zone, at)) change -= minute
  return change
}

// Steps of one visitor

const jitter = fc.constantFrom(0, 0, 1, -1, second, -second)

const sessionGap = fc
  .tuple(fc.constantFrom(30 * minute, 30 * minute, 60 * minute, 15 * minute), jitter)
  .map(([gap, off]) => gap + off)

const dayGap = fc
  .tuple(fc.constantFrom(23 * hour, 23.5 * hour, 24 * hour, 24 * hour, 24.5 * hour, 25 * hour), jitter)
  .map(([gap, off]) => gap + off)

const gaps = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 0, 1, second) },
  { weight: 4, arbitrary: sessionGap },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 40 * minute }) },
  { weight: 1, arbitrary: dayGap },
)

const paths = fc.constantFrom('/', '/pricing', '/docs/long-read')

const titles: Record<string, string> = {
  '/': 'Home',
  '/pricing': 'Pricing',
  '/docs/long-read': 'A long read',
}

const view = (path: string): NewHit => ({ kind: 'pageview', path, title: titles[path]! })

const pageviews = paths.map(view)

const events: fc.Arbitrary<NewHit> = fc
  .tuple(
    fc.constantFrom('signup', 'signup', 'video_play', 'outbound', 'error', 'payment'),
    fc.option(paths, { nil: undefined }),
  )
  .map(([name, path]) => (path === undefined ? { kind: 'event', name } : { kind: 'event', name, path }))

const engagements: fc.Arbitrary<NewHit> = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: paths }, { weight: 1, arbitrary: fc.constant('/never-viewed') }),
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 0, max: 10 * minute }),
  )
  .map(([path, scroll, engagedMs]) => ({ kind: 'engagement', path, scroll, engagedMs }))

const identify = (identifier: string): NewHit => ({ kind: 'identify', identifier })

const identifies = fc.constantFrom('ada', 'ada', 'grace', 'lin').map(identify)

const oneHit: fc.Arbitrary<TimedHit[]> = fc
  .oneof(
    { weight: 6, arbitrary: pageviews },
    { weight: 3, arbitrary: events },
    { weight: 3, arbitrary: engagements },
    { weight: 2, arbitrary: identifies },
  )
  .map(hit => [{ gap: 0, hit }])

/** A page that is read for most of a day, then a hit close to the longest a session may take. */
const longRead: fc.Arbitrary<TimedHit[]> = fc
  .tuple(fc.integer({ min: 1, max: 30 * minute }), jitter, fc.oneof(pageviews, events))
  .map(([before, off, last]) => [
    { gap: 0, hit: view('/docs/long-read') },
    {
      gap: day - before,
      hit: { kind: 'engagement', path: '/docs/long-read', scroll: 90, engagedMs: 5 * minute },
    },
    { gap: before + off, hit: last },
  ])

/** Two hits that a session cannot hold together, and a late one halfway between them. */
const lateBetween: fc.Arbitrary<TimedHit[]> = fc
  .tuple(fc.constantFrom(15.5 * minute, 20 * minute, 30 * minute), jitter, fc.oneof(pageviews, events))
  .map(([half, off, late]) => [
    { gap: 0, hit: view('/'), delay: 0 },
    { gap: half + off, hit: late, delay: 2 * hour },
    { gap: half - off, hit: view('/pricing'), delay: 0 },
  ])

/**
 * 50 hits that arrive last one first, so that the session grows towards the past: gaps that it can bridge, the first
 * hit 24 hours before the opening one.
 */
const backwards: fc.Arbitrary<TimedHit[]> = jitter.map(off => {
  const gapsBetween = [0, 24 * minute + off, ...Array<number>(48).fill(29.5 * minute)]
  return gapsBetween.map((gap, index) => ({ gap, hit: view('/'), delay: (60 - index) * hour }))
})

/** Somebody else signs in; now and then the first one comes back before anything else happens. */
const changeOfUser: fc.Arbitrary<TimedHit[]> = fc
  .tuple(gaps, gaps, fc.option(fc.constantFrom('ada', 'lin'), { nil: undefined }), fc.boolean())
  .map(([toIdentify, toHit, third, isFirstLate]) => [
    { gap: 0, hit: view('/pricing') },
    { gap: second, hit: identify('ada'), ...(isFirstLate && { delay: 50 * minute }) },
    { gap: toIdentify, hit: identify('grace') },
    ...(third === undefined ? [] : [{ gap: second, hit: identify(third) }]),
    { gap: toHit, hit: view('/') },
  ])

const delays = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 5 * second }) },
  { weight: 2, arbitrary: fc.integer({ min: 5 * minute, max: 90 * minute }) },
  { weight: 1, arbitrary: fc.integer({ min: 20 * hour, max: 27 * hour }) },
)

/** At the moment, a day before or after it, and just beside. */
const fromMoment = fc
  .tuple(fc.constantFrom(0, 0, -day, -hour, -30 * minute, hour, day), jitter)
  .map(([gap, off]) => gap + off)

const steps: fc.Arbitrary<Step> = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: gaps.map(gap => ({ gap, fromMoment: false })) },
      { weight: 1, arbitrary: fromMoment.map(gap => ({ gap, fromMoment: true })) },
    ),
    fc.oneof(
      { weight: 170, arbitrary: oneHit },
      { weight: 10, arbitrary: longRead },
      { weight: 8, arbitrary: lateBetween },
      { weight: 12, arbitrary: changeOfUser },
      { weight: 2, arbitrary: backwards },
    ),
    delays,
    fc.oneof({ weight: 7, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: delays }),
  )
  .map(([position, hits, delay, redelivered]) => ({ ...position, hits, delay, redelivered }))

// From steps to deliveries

interface Delivery {
  hit: SentHit
  arrivesAt: number
  again: boolean
}

function deliveriesOf(ofVisitor: Step[], index: number, around: number, salt: number): Delivery[] {
  const visitor = uuid(index, salt)
  const deliveries: Delivery[] = []
  let at = around - hour
  let ordinal = (index + 1) * 100_000
  for (const step of ofVisitor) {
    at = (step.fromMoment ? around : at) + step.gap
    for (const { gap, hit: newHit, delay = step.delay } of step.hits) {
      at += gap
      ordinal += 1
      const hit: SentHit = { id: uuid(ordinal, salt), at, visitor, ...newHit }
      deliveries.push({ hit, arrivesAt: at + delay, again: false })
      if (step.redelivered !== null) {
        deliveries.push({ hit, arrivesAt: at + delay + step.redelivered, again: true })
      }
    }
  }
  return deliveries
}

/** Different for each number and salt, in an order that is not the numbers' (the factor is odd, so nothing collides). */
function uuid(number: number, salt: number): string {
  const scattered = ((BigInt(number) + 1n) * 0x9e3779b97f4bn) & 0xffffffffffffn
  const head = scattered.toString(16).padStart(12, '0')
  return `${head.slice(0, 8)}-${head.slice(8)}-4000-8000-0000${salt.toString(16).padStart(8, '0')}`
}

/** Cuts at the given sizes, over and over; a hit that is in the batch already begins another one. */
function inBatches(hits: SentHit[], sizes: number[]): SentHit[][] {
  const batches: SentHit[][] = []
  let batch: SentHit[] = []
  for (const hit of hits) {
    const size = sizes[batches.length % sizes.length]!
    if (batch.length >= size || batch.some(other => other.id === hit.id)) {
      batches.push(batch)
      batch = []
    }
    batch.push(hit)
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
