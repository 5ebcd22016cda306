import { localDay, startOfDay } from '../../infra/local-time.ts'
import type { Window } from '../protocol.ts'

/** Returns the local day that contains an instant. */
export function dayAround(zone: string, at: number): Window {
  const day = localDay(zone, at)
  return { start: startOfDay(zone, day), end: startOfDay(zone, day + 1) }
}

/** Returns the local days that begin in [from, end). Each day is returned once, even when a time zone skipped a day. */
export function* daysFrom(zone: string, from: number, end: number): Generator<Window> {
  for (let day = dayAround(zone, from); day.start < end; day = dayAround(zone, day.end)) {
    if (day.start >= from) yield day
  }
}
