import type { Random } from './random-values.ts'
import type { SentHit } from './recount.ts'

/** Visits as most are: some pages that are read, now and then an event; many of them over a midnight. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

const pages = [
  { path: '/', title: 'Home' },
  { path: '/pricing', title: 'Pricing' },
  { path: '/docs/long-read', title: 'A long read' },
]

/** One visit of somebody else; its hits follow each other within half an hour. */
export function ordinaryVisit(random: Random, around: number, visitor: string): SentHit[] {
  const hits: SentHit[] = []
  let at = startNear(random, around)
  const add = (gap: number, hit: Omit<SentHit, 'id' | 'at' | 'visitor'>) => {
    at += gap
    hits.push({ id: randomUuid(random), at, visitor, ...hit })
  }
  for (let count = random.pick([1, 1, 2, 3, 4]); count > 0; count--) {
    const page = random.pick(pages)
    add(random.int(20 * minute), { kind: 'pageview', ...page })
    for (let pings = random.pick([0, 1, 1, 2]); pings > 0; pings--) {
      add(random.int(5 * minute), {
        kind: 'engagement',
        path: page.path,
        scroll: random.pick([0, 1, 25, 49, 50, 90, 100]),
        engagedMs: random.pick([0, random.int(5_000), random.int(5 * minute)]),
      })
    }
    if (random.chance(0.4)) add(random.int(minute), { kind: 'event', name: 'signup', path: page.path })
  }
  if (random.chance(0.2)) add(second, { kind: 'identify', identifier: random.pick(['ada', 'grace']) })
  return hits
}

/** Mostly just before the moment or a day beside it, else anywhere in three days. */
function startNear(random: Random, around: number): number {
  if (random.chance(0.5)) return around + random.pick([0, 0, -24, 24]) * hour - random.int(20 * minute)
  return around + random.int(72 * hour) - 36 * hour
}

export function randomUuid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => random.int(16).toString(16)).join('')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`
}
