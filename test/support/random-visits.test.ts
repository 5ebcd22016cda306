// @module-tag full
import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { randomFilters } from './random-filters.ts'
import { randomGoals } from './random-goals.ts'
import { randomVisits } from './random-visits.ts'
import { recountSessions } from './recount.ts'
import { conversionsOf } from './recount-conversions.ts'
import { recountErrors } from './recount-errors.ts'
import { recountFilteredOverview } from './recount-metrics.ts'
import { recountTitles } from './recount-titles.ts'
import { eventTypes, sessionDimensions, worldOf } from './recount-world.ts'

/** Worlds, with all days on which something may have happened in them. */
const cases = Array.from({ length: 120 }, (_, seed) => {
  const { zone, hits, late, around } = randomVisits(seed)
  const day = (days: number) => DateTime.fromMillis(around, { zone }).plus({ days }).toFormat('yyyy-MM-dd')
  return { seed, world: worldOf(hits, recountSessions(late), zone), whole: { from: day(-40), to: day(40) } }
})

test('random filters keep some and leave some out, with every dimension and operator', () => {
  const used = new Set<string>()
  let partly = 0
  for (const { seed, world, whole } of cases) {
    const all = recountFilteredOverview(world, whole).visitors
    for (let variant = 0; variant < 5; variant++) {
      const filters = randomFilters(seed * 5 + variant, world)
      expect(randomFilters(seed * 5 + variant, world)).toEqual(filters)
      for (const [key, conditions] of Object.entries(filters)) {
        used.add(key)
        if (key !== 'goal') for (const operator of Object.keys(conditions)) used.add(operator)
      }
      const { visitors, sessions } = recountFilteredOverview(world, { ...whole, filters })
      expect(visitors).toBeLessThanOrEqual(all)
      if (sessions > 0 && sessions < world.visits.length) partly += 1
    }
  }
  expect(used.size).toBe(4 + sessionDimensions.length + 1 + 2 + 1 + 8)
  expect(partly / (5 * cases.length)).toBeGreaterThan(0.4)
})

test('random visits contain what they are for, and goals of every type convert', () => {
  const seen = { errors: 0, overMidnight: 0, engaged: 0, untitled: 0, revenue: 0, moved: 0 }
  const types = new Set<string>()
  const converting = new Map<string, number>()
  for (const { seed, world, whole } of cases) {
    for (const goal of randomGoals(seed, world, 6)) {
      if (goal.type === 'page' || goal.type === 'scroll') expect(goal.match_value).toMatch(/^\//)
      if (conversionsOf(world, goal).length > 0)
        converting.set(goal.type, (converting.get(goal.type) ?? 0) + 1)
    }
    for (const hit of world.hits) types.add(hit.type)
    if (recountErrors(world, '0b5ce2b1-6f0e-4a3c-9d0f-1a2b3c4d5e6f', whole).length > 1) seen.errors++
    if (recountTitles(world, whole).some(row => row.time_on_page_seconds !== null)) seen.engaged++
    if (world.hits.some(hit => hit.values.title === '')) seen.untitled++
    if (world.hits.some(hit => hit.sent.revenue?.currency === 'USD')) seen.revenue++
    if (world.visits.some(visit => visit.hits.some(hit => hit.sent.dims?.country !== visit.values.country)))
      seen.moved++
    const dayOf = (at: number) => DateTime.fromMillis(at, { zone: world.zone }).toISODate()
    if (world.visits.some(({ hits }) => dayOf(hits[0]!.at) !== dayOf(hits.at(-1)!.at))) seen.overMidnight++
  }
  for (const type of ['page', 'scroll', 'event', 'outbound', 'download', 'button', 'form', 'copy']) {
    expect(converting.get(type) ?? 0, type).toBeGreaterThan(3)
  }
  expect([...types].toSorted()).toEqual([...eventTypes].toSorted())
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(20)
})
