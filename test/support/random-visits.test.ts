import fc from 'fast-check'
import { DateTime } from 'luxon'
import { expect, test } from 'vitest'
import { randomFilters, randomRange } from './random-filters.ts'
import { randomGoals } from './random-goals.ts'
import { randomVisits, visitStreams } from './random-visits.ts'
import { recountOverview, recountSessions } from './recount.ts'
import { recountBreakdown } from './recount-breakdown.ts'
import { conversionsOf } from './recount-conversions.ts'
import { recountErrors } from './recount-errors.ts'
import { recountFilteredOverview } from './recount-metrics.ts'
import { recountEventSeries, recountMetricSeries } from './recount-timeseries.ts'
import { recountTitles } from './recount-titles.ts'
import { eventTypes, sessionDimensions, type World, worldOf } from './recount-world.ts'

interface Case {
  seed: number
  world: World
  /** all days on which something may have happened */
  whole: { from: string; to: string }
}

function caseOf(seed: number): Case {
  const stream = randomVisits(seed)
  const { zone, hits, around } = stream
  const day = (days: number) => DateTime.fromMillis(around, { zone }).plus({ days }).toFormat('yyyy-MM-dd')
  const world = worldOf(hits, recountSessions(stream.late), zone)
  return { seed, world, whole: { from: day(-40), to: day(40) } }
}

const cases = Array.from({ length: 120 }, (_, seed) => caseOf(seed))

test('random visits: without filters, the overview is that of the plain recount', () => {
  fc.assert(
    fc.property(visitStreams(), fc.nat(), ({ zone, hits, late }, seed) => {
      const recount = recountSessions(late)
      const world = worldOf(hits, recount, zone)
      const { from, to } = randomRange(seed, world)
      expect(recountFilteredOverview(world, { from, to })).toEqual(
        recountOverview(hits, recount, zone, from, to),
      )
    }),
    { seed: 20250610, numRuns: 60 },
  )
})

test('buckets, and values of a session dimension, add up to the overview', () => {
  for (const { seed, world } of cases.slice(0, 60)) {
    const query = { ...randomRange(seed, world), filters: randomFilters(seed, world) }
    const overview = recountFilteredOverview(world, query)
    for (const metric of ['pageviews', 'sessions', 'custom_events'] as const) {
      expect(total(recountMetricSeries(world, metric, query).values)).toBe(overview[metric])
    }
    const { series } = recountEventSeries(world, ['event'], query)
    expect(total(series.event ?? [])).toBe(overview.custom_events)
    for (const dimension of sessionDimensions) {
      const rows = recountBreakdown(world, dimension, query)
      expect(total(rows.map(row => row.sessions))).toBe(overview.sessions)
      // Pageviews of an exit page count by the start of the session.
      if (dimension === 'exit_path') continue
      expect(total(rows.map(row => row.pageviews))).toBe(overview.pageviews)
    }
  }
})

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

test('filters keep some and leave some out, with every dimension and operator', () => {
  const used = new Set<string>()
  let partly = 0
  let trials = 0
  for (const { seed, world, whole } of cases) {
    const all = recountFilteredOverview(world, whole).visitors
    for (let variant = 0; variant < 5; variant++) {
      const filters = randomFilters(seed * 5 + variant, world)
      expect(randomFilters(seed * 5 + variant, world)).toEqual(filters)
      for (const [key, conditions] of Object.entries(filters)) {
        if (key === 'goal') used.add(key)
        else for (const operator of Object.keys(conditions)) used.add(operator).add(key)
      }
      const { visitors, sessions } = recountFilteredOverview(world, { ...whole, filters })
      expect(visitors).toBeLessThanOrEqual(all)
      trials += 1
      if (sessions > 0 && sessions < world.visits.length) partly += 1
    }
  }
  expect(used.size).toBe(4 + sessionDimensions.length + 1 + 2 + 1 + 8)
  expect(partly / trials).toBeGreaterThan(0.4)
})

test('goals of every type convert', () => {
  const converting = new Map<string, number>()
  for (const { seed, world } of cases) {
    for (const goal of randomGoals(seed, world, 6)) {
      const conversions = conversionsOf(world, goal).length
      if (conversions > 0) converting.set(goal.type, (converting.get(goal.type) ?? 0) + 1)
      if (goal.type === 'page' || goal.type === 'scroll') expect(goal.match_value).toMatch(/^\//)
    }
  }
  for (const type of ['page', 'scroll', 'event', 'outbound', 'download', 'button', 'form', 'copy']) {
    expect(converting.get(type) ?? 0, type).toBeGreaterThan(3)
  }
})

test('the streams contain what they are for', () => {
  const seen = { errors: 0, overMidnight: 0, engaged: 0, untitled: 0, revenue: 0, moved: 0 }
  const types = new Set<string>()
  for (const { world, whole } of cases) {
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
  expect([...types].toSorted()).toEqual([...eventTypes].toSorted())
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(20)
})

test('a seed gives the same visits again, and another seed others', () => {
  expect(randomVisits(7)).toEqual(randomVisits(7))
  expect(randomVisits(7).hits).not.toEqual(randomVisits(8).hits)
})
