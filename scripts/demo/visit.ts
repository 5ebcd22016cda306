import type { Random } from '../random.ts'
import { actionOn, engagementOn } from './actions.ts'
import { errorOn } from './errors.ts'
import type { Lines, Visitor } from './lines.ts'
import type { Origin } from './origins.ts'
import { type Page, PRICING, pageAfter, pageIn, SIGNUP, WELCOME } from './pages.ts'
import type { Person } from './people.ts'
import type { Calendar } from './rhythm.ts'
import { vitalsOf } from './vitals.ts'

const MOST_PAGES = 14
/** Shares of pageviews that send engagement and Web Vitals. */
const ENGAGED = 0.82
const MEASURED = 0.22

/** What all visits share. */
export interface World {
  random: Random
  calendar: Calendar
  hostname: string
  lines: Lines
}

/** One session, which begins now: at `at`. */
export interface Visit {
  visitor: Visitor
  origin: Origin
  at: number
  /** Whom the visitor signs up as; without it they only look around, or work if they have an account. */
  signsUp?: { person: Person; tier: string; hasTrial: boolean }
}

/**
 * Sends the hits of a session.
 * @returns when the visitor signed up; undefined when they did not
 */
export function sendVisit(world: World, visit: Visit): number | undefined {
  const { random, lines } = world
  const { visitor, origin } = visit
  let at = visit.at
  let signedUpAt: number | undefined
  lines.countSession()
  for (const [index, page] of routeOf(random, visit).entries()) {
    const isFirst = index === 0
    const path = isFirst && origin.tags ? `${page.path}?${origin.tags}` : page.path
    const url = { path, title: page.title }
    const { screen } = visitor.device
    const referrer = isFirst ? origin.referrer : undefined
    const context = { url, screen, language: visitor.place.language }
    lines.add(at, visitor, 'collect', { ...context, ...(referrer && { referrer }) })
    if (page === WELCOME && visit.signsUp) {
      signedUpAt = at + 900
      sendSignup(world, visit, signedUpAt, url)
    } else if (visitor.person && page.section === 'app' && random.chance(0.4)) {
      identify(lines, at + 400, visitor, visitor.person, 'customer')
    }
    const { time, sd } = engagementOn(random, page)
    sendEvents(world, visit, page, { at, time, url })
    if (random.chance(ENGAGED)) lines.add(at + time, visitor, 'engage', { url, sd, time })
    at += time + random.between(1_000, 12_000)
  }
  visitor.lastAt = at
  return signedUpAt
}

function routeOf(random: Random, { visitor, origin, signsUp }: Visit): Page[] {
  const works = visitor.person !== undefined && random.chance(0.7)
  const route = [pageIn(random, works ? 'app' : random.weigh(origin.lands))]
  if (signsUp) {
    if (random.chance(0.6)) route.push(pageAfter(random, route[0]!))
    if (route.at(-1) !== PRICING) route.push(PRICING)
    route.push(SIGNUP, WELCOME, pageIn(random, 'app'))
  }
  while (route.length < MOST_PAGES && random.chance(origin.stays))
    route.push(pageAfter(random, route.at(-1)!))
  return route
}

function sendSignup({ lines, random }: World, { visitor, signsUp }: Visit, at: number, url: object): void {
  const { person, tier, hasTrial } = signsUp!
  identify(lines, at - 300, visitor, person, tier)
  const method = random.pick(['email', 'google', 'google', 'microsoft'])
  lines.add(at, visitor, 'event', { url, name: 'signup', properties: { plan: tier, method } })
  if (hasTrial)
    lines.add(at + 200, visitor, 'event', { url, name: 'trial_start', properties: { plan: tier } })
  visitor.person = person
}

function identify(lines: Lines, at: number, visitor: Visitor, person: Person, plan: string): void {
  const { id, name, company, role } = person
  lines.add(at, visitor, 'identify', { identifier: id, name, custom: { company, role, plan } })
}

/** Sends what happens on a page beside its view: at most one action, an error, a report of Web Vitals. */
function sendEvents(
  { random, calendar, hostname, lines }: World,
  { visitor, signsUp }: Visit,
  page: Page,
  { at, time, url }: { at: number; time: number; url: object },
): void {
  const within = (share: number) => at + Math.round(time * share)
  const error = errorOn(random, calendar, hostname, page.section, at)
  if (error) lines.add(within(0.1), visitor, 'event', { url, ...error })
  if (page === SIGNUP && signsUp) {
    const properties = { selector: '#signup', url: '/signup' }
    lines.add(within(0.9), visitor, 'event', { url, name: 'form', properties })
  } else {
    const action = actionOn(random, page)
    if (action) lines.add(within(0.5), visitor, 'event', { url, ...action })
  }
  if (random.chance(MEASURED)) {
    const report = vitalsOf(random, page.section, visitor.device, at >= calendar.launch)
    lines.add(within(0.8), visitor, 'web-vitals', { url, ...report })
  }
}
