import { recountSessions, type SentHit } from './recount.ts'
import { type World, worldOf } from './recount-world.ts'

/** Hits for small cases, by their minutes after a noon: ids ascend in the order of the calls. */

/** 2025-06-10, a Tuesday */
export const noon = Date.UTC(2025, 5, 10, 12)
export const minute = 60_000
export const day = 24 * 60 * minute

let hitsMade = 0

function hit(kind: SentHit['kind'], minutes: number, more: Partial<SentHit> = {}): SentHit {
  hitsMade += 1
  return {
    id: `hit-${String(hitsMade).padStart(6, '0')}`,
    at: noon + minutes * minute,
    kind,
    visitor: 'v1',
    ...more,
  }
}

export function view(minutes: number, path = '/', more: Partial<SentHit> = {}): SentHit {
  return hit('pageview', minutes, { path, ...more })
}

export function event(minutes: number, name: string, more: Partial<SentHit> = {}): SentHit {
  return hit('event', minutes, { name, ...more })
}

export function engage(minutes: number, path = '/', more: Partial<SentHit> = {}): SentHit {
  return hit('engagement', minutes, { path, ...more })
}

export function identify(minutes: number, identifier: string): SentHit {
  return hit('identify', minutes, { identifier })
}

/** The world in which these hits came in time. */
export function worldWith(hits: SentHit[], zone = 'UTC'): World {
  return worldOf(hits, recountSessions([hits]), zone)
}

/** The day of `noon`. */
export const thatDay = { from: '2025-06-10', to: '2025-06-10' }
export const nextDay = { from: '2025-06-11', to: '2025-06-11' }
