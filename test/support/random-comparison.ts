import { randomFrom } from './random-values.ts'
import type { Group } from './recount-buckets.ts'
import { type Compare, type Days, lastHours } from './recount-comparison.ts'
import { addDays, daysBetween, localDate } from './recount-days.ts'
import type { World } from './recount-world.ts'

/** Returns a range like the given one, today or the last 24 hours; in half of the cases with a comparison and a group. */
export function randomComparison(
  seed: number,
  { zone }: World,
  given: Days,
  now: number,
): Days & { compare?: Compare; group?: Group } {
  const random = randomFrom(seed)
  const today = localDate(zone, now)
  const range = random.pick([given, given, { from: today, to: today }, lastHours(zone, now, 24)])
  const days = daysBetween(range.from, range.to) + 1
  const group = random.pick([undefined, 'day', 'week', 'month', days > 30 ? 'day' : 'hour'] as const)
  const start = addDays(range.from, -random.int(40) + 5)
  const compare = random.pick([
    undefined,
    { compare: 'custom', compare_from: start, compare_to: addDays(start, random.int(30)), now },
    { compare: 'previous', now },
    { compare: 'previous', match_weekday: true, now },
    { compare: 'previous_year', match_weekday: random.chance(0.5), now },
  ] as const)
  return { ...range, ...(group && { group }), ...(compare && { compare }) }
}
