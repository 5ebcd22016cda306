import {
  addressOf,
  agentOf,
  EVENT_NAMES,
  errorOf,
  LANGUAGES,
  originOf,
  PATHS,
  pageOf,
  SCREENS,
} from './catalogue.ts'
import { createRandom, longTail, type Random } from './random.ts'

const SLOT_MS = 15 * 60_000
const DAY_MS = 86_400_000
/** Of the visitors that can come again, this many are remembered: the newest. */
const KNOWN_VISITORS = 50_000
const MORE_PAGES = 0.62
const REPEAT = 0.35

export interface Visits {
  /** How many hits; each becomes one row of the events. */
  hits: number
  /** First moment and length of the time they are spread over; Unix and milliseconds. */
  from: number
  days: number
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
 * Hits of a site in the format of `hits:import`, in time order, in pieces of about a day's quarter of an hour. Traffic
 * follows the hour of the day; 35 % of sessions are of visitors seen before; of the hits 10 % are custom events, 25 %
 * engagement, 1 % errors, 0.5 % identities, the others pageviews of a long tail of pages.
 */
export function* visitsOf({ hits, from, days, hostname, seed }: Visits): Generator<Buffer> {
  const random = createRandom(seed)
  const drawPage = longTail(PATHS, random)
  const visitors: Visitor[] = []
  let visitorCount = 0
  const slots: Line[][] = Array.from({ length: (days * DAY_MS) / SLOT_MS }, () => [])
  const shares = slots.map((_, slot) => hourShare(((slot * SLOT_MS) % DAY_MS) / DAY_MS))
  const allShares = shares.reduce((sum, share) => sum + share, 0)
  let planned = 0
  let wanted = 0

  /** Leaves out what would come after the end, or be more than asked for. */
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
    if (visitors.length > 0 && random.chance(REPEAT)) return random.pick(visitors)
    const visitor = {
      id: uuidOf(random),
      ip: addressOf(random),
      agent: agentOf(random),
      screen: random.pick(SCREENS),
      language: random.pick(LANGUAGES),
    }
    visitors[visitorCount++ % KNOWN_VISITORS] = visitor
    return visitor
  }

  function planSession(startsAt: number): void {
    const visitor = drawVisitor()
    const { tags, referrer } = originOf(random)
    const { screen, language } = visitor
    const context = { screen, language }
    let at = startsAt
    for (let isFirst = true; isFirst || random.chance(MORE_PAGES); isFirst = false) {
      const { path, title } = pageOf(drawPage())
      const url = { path: isFirst && tags ? `${path}?${tags}` : path, title }
      plan(at, visitor, 'collect', { ...context, ...(isFirst && referrer && { referrer }), url })
      if (isFirst && random.chance(0.012)) {
        plan(at + 500, visitor, 'identify', { identifier: `user-${random.below(100_000)}` })
      }
      if (random.chance(0.16)) plan(at + 1_000 + random.below(9_000), visitor, 'event', { url, ...eventOf() })
      if (random.chance(0.016)) {
        const error = { ...errorOf(random.below(40)), file_name: 'app.js', line_number: 7 }
        plan(at + 700, visitor, 'event', { url, name: 'error', error })
      }
      const engagedMs = 1_000 + random.below(90_000)
      if (random.chance(0.4)) {
        plan(at + engagedMs, visitor, 'engage', { url, sd: random.below(101), time: engagedMs })
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
    wanted += shares[index]! / allShares
    const isLast = index === slots.length - 1
    const quota = isLast ? hits : Math.floor(hits * wanted)
    while (planned < quota) planSession(from + index * SLOT_MS + random.below(SLOT_MS))
    slot.sort((a, b) => a.at - b.at)
    if (slot.length > 0) yield Buffer.from(`${slot.map(line => line.text).join('\n')}\n`)
    slots[index] = []
  }
}

/** How busy a moment of the day is, UTC: most in the afternoon, a fifth of that at night. */
const hourShare = (day: number) => 1.5 - Math.cos((day - 0.1) * 2 * Math.PI)

/** A random UUID, version 4. */
function uuidOf(random: Random): string {
  const digits = Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) & 3]
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`
}
