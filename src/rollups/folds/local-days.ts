import { localDay, startOfDay } from '../../infra/local-time.ts'
import type { Window } from '../protocol.ts'

/** The local day an instant lies in. */
export function dayAround(zone: string, at: number): Window {
  const day = localDay(zone, at)
  return { start: startOfDay(zone, day), end: startOfDay(zone, day + 1) }
}

/** The local days that begin at `from` or later and before `end`; none twice where a zone left one out. */
export function* daysFrom(zone: string, from: number, end: number): Generator<Window> {
  for (let day = dayAround(zone, from); day.start < end; day = dayAround(zone, day.end)) {
    if (day.start >= from) yield day
  }
}
