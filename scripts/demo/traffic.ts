import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/platform/lib/time.ts'
import type { Random } from '../random.ts'
import { deviceOf } from './devices.ts'
import { createLines, type Lines, type Visitor } from './lines.ts'
import { type Origin, originAgain, originOf } from './origins.ts'
import type { Person } from './people.ts'
import { placeOf } from './places.ts'
import type { Tier } from './plans.ts'
import { type Calendar, launchShare, startsOn } from './rhythm.ts'
import { sendVisit, type World } from './visit.ts'

/** Share of sessions of visitors who come back without an account, and how many of the newest visitors may. */
const COMES_BACK = 0.2
const KNOWN_VISITORS = 2_500
/** Between sessions of a visitor, so that they do not become one. */
const APART_MS = 45 * MINUTE_MS
/** Visits that begin in the last minutes, so that the live page shows visitors. */
const LIVE_VISITS = 16
const LIVE_MS = 12 * MINUTE_MS

/** A person who signed up during the visits. */
export interface Signup {
  person: Person
  visitorId: string
  at: number
  tier: Tier
  hasTrial: boolean
  /** Whether they subscribe. */
  pays: boolean
}

/** A customer from before the visits, who comes back. */
export interface Regular {
  person: Person
  visitorId: string
}

export interface TrafficOptions {
  random: Random
  calendar: Calendar
  hostname: string
  regulars: readonly Regular[]
  newPerson: () => Person
}

/** Makes up the hits of all days of the calendar, and who signs up. */
export function trafficOf(options: TrafficOptions): { lines: Lines; signups: Signup[] } {
  const { random, calendar, hostname } = options
  const { now, days } = calendar
  const lines = createLines(hostname, now)
  const world: World = { random, calendar, hostname, lines }
  const signups: Signup[] = []
  const known: Visitor[] = []
  let count = 0
  const agenda = createAgenda(random, calendar)
  for (const { person, visitorId } of options.regulars) {
    const visitor = { ...newVisitor(random, customerOrigin(random)), id: visitorId, person }
    agenda.plan(visitor, days[0]! + random.below(12) * DAY_MS, 9)
  }

  function visitAnew(at: number, launch: number): void {
    if (known.length > 0 && random.chance(COMES_BACK)) {
      const visitor = random.pick(known)
      if (at - visitor.lastAt > APART_MS) {
        sendVisit(world, { visitor, at, origin: originAgain(random, visitor.origin) })
        return
      }
    }
    const origin = originOf(random, launch)
    const visitor = newVisitor(random, origin)
    if (random.chance(origin.signsUp)) signUp(visitor, at)
    else {
      sendVisit(world, { visitor, at, origin })
      known[count++ % KNOWN_VISITORS] = visitor
    }
  }

  function signUp(visitor: Visitor, at: number): void {
    const { origin } = visitor
    const tier = tierOf(random, origin.isLarge)
    const pays = random.chance(origin.pays)
    const signsUp = { person: options.newPerson(), tier, hasTrial: !pays || random.chance(0.3) }
    const signedUpAt = sendVisit(world, { visitor, at, origin, signsUp })
    if (signedUpAt === undefined || signedUpAt > now) return
    signups.push({ ...signsUp, visitorId: visitor.id, at: signedUpAt, pays })
    agenda.plan(visitor, at + DAY_MS, pays ? 6 : 25)
  }

  for (const day of days) {
    const launch = launchShare(calendar, day)
    const starts = startsOn(random, calendar, day).map(at => ({ at, visit: () => visitAnew(at, launch) }))
    const planned = agenda.of(day).map(({ at, visitor }) => ({
      at,
      visit() {
        if (at - visitor.lastAt <= APART_MS) return
        sendVisit(world, { visitor, at, origin: originAgain(random, visitor.origin) })
      },
    }))
    const live = Array.from({ length: day === days.at(-1) ? LIVE_VISITS : 0 }, (_, index) => {
      const at = now - Math.round(((index + 0.5) * LIVE_MS) / LIVE_VISITS)
      return { at, visit: () => visitAnew(at, 0) }
    })
    const all = [...starts, ...planned, ...live].sort((a, b) => a.at - b.at)
    for (const { visit } of all) visit()
  }
  return { lines, signups }
}

function newVisitor(random: Random, origin: Origin): Visitor {
  return {
    id: random.uuid(),
    place: placeOf(random),
    device: deviceOf(random),
    origin,
    lastAt: Number.NEGATIVE_INFINITY,
  }
}

/** Returns where a customer of today may have come from: origins in proportion to those who pay. */
function customerOrigin(random: Random): Origin {
  for (;;) {
    const origin = originOf(random, 0)
    if (random.chance(origin.signsUp * 9)) return origin
  }
}

const tierOf = (random: Random, isLarge: number): Tier =>
  random.chance(isLarge) ? 'business' : random.chance(0.45) ? 'team' : 'starter'

/** Visits of people with an account, planned ahead by day. */
function createAgenda(random: Random, { now, days }: Calendar) {
  const visits = new Map<number, { at: number; visitor: Visitor }[]>()
  return {
    /** Plans visits of a person from a time on. @param every days between two visits, on average */
    plan(visitor: Visitor, from: number, every: number): void {
      const step = () => (0.3 + random.next() * 1.4) * every * DAY_MS
      for (let at = from + step() / 2; at < now; at += step()) {
        const day = Math.floor(at / DAY_MS) * DAY_MS
        // At work: on weekdays, by day.
        if ([0, 6].includes(new Date(day).getUTCDay()) || day < days[0]!) continue
        const start = day + 7 * HOUR_MS + random.below(12 * HOUR_MS)
        if (start > now || start < from) continue
        visits.set(day, [...(visits.get(day) ?? []), { at: start, visitor }])
      }
    },
    of: (day: number) => visits.get(day) ?? [],
  }
}
