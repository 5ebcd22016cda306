import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/lib/time.ts'
import { createRandom, longTail, type Random } from '../random.ts'
import {
  addressOf,
  agentOf,
  clickOf,
  EVENT_NAMES,
  errorOf,
  LANGUAGES,
  originOf,
  pageOf,
  SCREENS,
  vitalsOf,
} from './catalogue.ts'
import type { Shape } from './shapes.ts'

const SLOT_MS = 15 * MINUTE_MS
/** Number of visitors that can return: the newest ones. */
const KNOWN_VISITORS = 50_000
/** Start of the burst hour within its day; milliseconds. */
const BURST_MS = 12 * HOUR_MS
/** Distance between the seeds of visitors who visit in turn. */
const SEED_STEP = 7_919

export interface Visits {
  /** Number of hits; each becomes one row of `events` or of `web_vitals`. */
  hits: number
  /** Start of the first day with hits, Unix milliseconds. */
  from: number
  shape: Shape
  hostname: string
  seed: number
}

interface Visitor {
  id: string
  ip: string
  agent: string
  screen: (typeof SCREENS)[number]
  language: string
}

interface Line {
  at: number
  text: string
}

/**
 * Generates hits of a site in the format of `hits:import`, in time order, one buffer per 15 minutes. Traffic follows the hour of
 * the day, and pages have a long-tail distribution. The shape defines the rest.
 */
export function* visitsOf({ hits, from, shape, hostname, seed }: Visits): Generator<Buffer> {
  const random = createRandom(seed)
  const drawPage = longTail(shape.paths, random)
  const visitors: Visitor[] = []
  let visitorCount = 0
  let sessionCount = 0
  const { days } = shape
  const slots: Line[][] = Array.from({ length: (days * DAY_MS) / SLOT_MS }, () => [])
  const shares = sharesOf(slots.length, shape)
  let planned = 0
  let wanted = 0

  /** Adds a hit, except after the last day or when there are enough hits. */
  function plan(at: number, visitor: Visitor, endpoint: string, body: object): void {
    const slot = slots[Math.floor((at - from) / SLOT_MS)]
    if (!slot || planned >= hits) return
    planned += 1
    const timestamp = new Date(at).toISOString()
    const all = { hostname, visitor_id: visitor.id, ...body }
    slot.push({
      at,
      text: JSON.stringify({ endpoint, timestamp, ip: visitor.ip, user_agent: visitor.agent, body: all }),
    })
  }

  function drawVisitor(): Visitor {
    if ('of' in shape.visitors) {
      const visitorIndex = sessionCount++ % shape.visitors.of(hits)
      return visitorOf(createRandom(seed + (visitorIndex + 1) * SEED_STEP))
    }
    if (visitors.length > 0 && random.chance(shape.visitors.repeat)) return random.pick(visitors)
    const visitor = visitorOf(random)
    visitors[visitorCount++ % KNOWN_VISITORS] = visitor
    return visitor
  }

  function planSession(startsAt: number): void {
    const visitor = drawVisitor()
    const { tags, referrer } = originOf(random)
    const { screen, language } = visitor
    const context = { screen, language }
    let at = startsAt
    for (let isFirst = true; isFirst || random.chance(shape.morePages); isFirst = false) {
      const { path, title } = pageOf(drawPage())
      const url = { path: isFirst && tags ? `${path}?${tags}` : path, title }
      plan(at, visitor, 'collect', { ...context, ...(isFirst && referrer && { referrer }), url })
      if (isFirst && random.chance(shape.identities)) {
        plan(at + 500, visitor, 'identify', { identifier: `user-${random.below(100_000)}` })
      }
      if (random.chance(shape.events))
        plan(at + 1_000 + random.below(9_000), visitor, 'event', { url, ...eventOf() })
      if (random.chance(shape.errors)) {
        const error = { ...errorOf(random.below(40)), file_name: 'app.js', line_number: 7 }
        plan(at + 700, visitor, 'event', { url, name: 'error', error })
      }
      if (random.chance(shape.clicks)) plan(at + 900, visitor, 'event', { url, ...clickOf(random) })
      const engagedMs = 1_000 + random.below(90_000)
      if (random.chance(shape.engagement)) {
        plan(at + engagedMs, visitor, 'engage', { url, sd: random.below(101), time: engagedMs })
      }
      if (random.chance(shape.vitals)) {
        plan(at + engagedMs + 100, visitor, 'web-vitals', { url, id: random.uuid(), ...vitalsOf(random) })
      }
      at += engagedMs + 1_000 + random.below(30_000)
    }
  }

  function eventOf(): object {
    const name = EVENT_NAMES[Math.floor(random.next() ** 2 * EVENT_NAMES.length)]!
    const properties = { plan: random.pick(['free', 'team', 'company']), variant: `v${random.below(30)}` }
    if (name !== 'purchase') return { name, properties }
    return { name, properties, revenue: { amount: (500 + random.below(20_000)) / 100, currency: 'USD' } }
  }

  for (const [index, slot] of slots.entries()) {
    wanted += shares[index]!
    const isLast = index === slots.length - 1
    const quota = isLast ? hits : Math.floor(hits * wanted)
    while (planned < quota) planSession(from + index * SLOT_MS + random.below(SLOT_MS))
    slot.sort((a, b) => a.at - b.at)
    if (slot.length > 0) yield Buffer.from(`${slot.map(line => line.text).join('\n')}\n`)
    slots[index] = []
  }
}

/** Share of all hits in each slot. */
function sharesOf(count: number, { burst, days }: Shape): number[] {
  const shares = Array.from({ length: count }, (_, slot) => hourShare(((slot * SLOT_MS) % DAY_MS) / DAY_MS))
  const all = shares.reduce((sum, share) => sum + share, 0)
  const burstAt = Math.floor(days / 2) * DAY_MS + BURST_MS
  return shares.map((share, slot) => {
    const isBurst = slot * SLOT_MS >= burstAt && slot * SLOT_MS < burstAt + HOUR_MS
    return ((1 - burst) * share) / all + (isBurst ? burst * (SLOT_MS / HOUR_MS) : 0)
  })
}

const visitorOf = (random: Random): Visitor => ({
  id: random.uuid(),
  ip: addressOf(random),
  agent: agentOf(random),
  screen: random.pick(SCREENS),
  language: random.pick(LANGUAGES),
})

/** Relative traffic at a time of the day, UTC: highest in the afternoon, a fifth of that at night. */
const hourShare = (day: number) => 1.5 - Math.cos((day - 0.1) * 2 * Math.PI)
