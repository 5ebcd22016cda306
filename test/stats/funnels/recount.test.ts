import { expect, test } from 'vitest'
import type { Db } from '../../../src/platform/db/connect.ts'
import { FunnelQuery } from '../../../src/stats/funnels/funnel-query.ts'
import { readFunnel } from '../../../src/stats/funnels/read-funnel.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { useDatabase } from '../../support/database.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomGoals } from '../../support/random-goals.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { readServices } from '../../support/read-services.ts'
import type { RecountGoal } from '../../support/recount-conversions.ts'
import { periodOf } from '../../support/recount-days.ts'
import { type Filters, hasHitFilters } from '../../support/recount-filters.ts'
import { type RecountedFunnel, recountFunnel, type ServiceEvent } from '../../support/recount-funnel.ts'
import { hitDimensions, sessionDimensions, type World } from '../../support/recount-world.ts'
import { hasUsualCases, runs, seeds } from '../../support/runs.ts'
import type { TestSite } from '../../support/sites.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { daysBefore, inputOf, storeServiceEvent, storeStream } from '../stored-stream.ts'

const database = useDatabase()

const STREAMS = runs(4)
const FUNNELS = runs(12)
const HOUR = 3_600_000

/** Goals that many hits meet: with narrow ones most chains would have one step. */
function broadGoal(random: Random, id: string): RecountGoal {
  const goal = { id, display_name: id, currency: null, custom_props: {}, scroll_threshold: -1 }
  return random.pick([
    { ...goal, type: 'page', match_operator: 'matches_pattern', match_value: '/**' },
    { ...goal, type: 'page', match_operator: 'is', match_value: '/pricing' },
    { ...goal, type: 'page', match_operator: 'starts_with', match_value: '/docs' },
    { ...goal, type: 'event', match_operator: 'contains', match_value: 'i' },
    { ...goal, type: 'scroll', match_operator: 'contains', match_value: '/', scroll_threshold: 25 },
    { ...goal, type: 'outbound', match_operator: 'contains', match_value: null },
  ] as RecountGoal[])
}

const PAYMENT = { type: 'event', match_operator: 'starts_with', match_value: 'pay' } as const

function randomFunnel(number: number, world: World, hasServices: boolean): RecountedFunnel {
  const random = randomFrom(number)
  const narrow = randomGoals(number, world, 2)
  const steps = Array.from({ length: 2 + random.int(3) }, (_, step) =>
    random.chance(0.25) ? random.pick(narrow) : broadGoal(random, `step ${step}`),
  )
  if (hasServices) steps[random.int(steps.length)] = { ...broadGoal(random, 'paid'), ...PAYMENT }
  return {
    steps,
    order: random.pick(['loose', 'strict']),
    window: random.pick(['session', 3_600, 86_400, 2_592_000]),
    by: random.pick(['visitor', 'visitor', 'session']),
    dimension: random.pick([undefined, ...hitDimensions, ...sessionDimensions]),
  }
}

const stepOf = (goal: RecountGoal) => ({
  type: goal.type === 'page' ? ('pageview' as const) : goal.type,
  operator: goal.match_operator,
  value: goal.match_value,
  ...(goal.type === 'scroll' && { scroll_threshold: goal.scroll_threshold }),
  ...(goal.type === 'event' && { props: goal.custom_props }),
})

/** Some sessions pay: an event of the service, some days after their start. */
async function storeServices(db: Db, site: TestSite, random: Random, world: World): Promise<ServiceEvent[]> {
  const events = world.visits
    .filter(() => random.chance(0.4))
    .map(visit => ({
      visit,
      at: visit.startedAt + random.pick([0, 1_000, 60_000, 30 * HOUR]),
      name: 'payment',
    }))
  for (const event of events) await storeServiceEvent(db, site, event.visit, event)
  return events
}

test(`funnels: every number equals a recount of the hits (${STREAMS} streams)`, async () => {
  const { db } = database
  /** Longest chains of both orders: otherwise nothing would be compared. */
  const longest = { loose: 0, strict: 0 }
  for (const seed of seeds(STREAMS)) {
    const stream = randomVisits(seed + 100)
    const { site, world, shape } = await storeStream(db, { ...stream, arrivals: stream.late })
    let services: ServiceEvent[] = []
    for (let round = 0; round < FUNNELS; round++) {
      const number = seed * 1_000 + round
      const random = randomFrom(number + 7)
      // Filters on hits find service events, too, which the recount of filters does not know.
      if (round === FUNNELS >> 1) services = await storeServices(db, site, random, world)
      if (round === FUNNELS - 2) await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
      const given: Filters = random.chance(0.5) ? randomFilters(number, world) : {}
      const isSafe = services.length === 0 || !(hasHitFilters(given) || given.goal)
      // The recount of filters and the service read "not none" of property keys in two ways.
      const isPlain = !given.prop_key?.is_not?.includes('(none)')
      const filters = isSafe && isPlain ? given : {}
      await replaceGoals(db, site, filters.goal ?? [])
      const funnel = randomFunnel(number, world, services.length > 0 && random.chance(0.6))
      const range = randomRange(number, world)
      const period = periodOf(world.zone, range.from, range.to)
      const now = random.pick([period.end - HOUR, period.end + 5 * HOUR, period.end + 40 * 24 * HOUR])
      const windowMs = funnel.window === 'session' ? 24 * HOUR : funnel.window * 1_000
      const followMs = Math.min(windowMs, Math.max(0, now - period.end))
      const before = daysBefore(range)
      const query = FunnelQuery.parse({
        ...{ ...inputOf(filters, FunnelQuery), ...range },
        steps: JSON.stringify(funnel.steps.map(stepOf)),
        ...{ order: funnel.order, window: String(funnel.window), by: funnel.by, dimension: funnel.dimension },
        ...{ compare: 'custom', compare_from: before.from, compare_to: before.to },
      })
      const read = readServices(db, new Date(now))
      const report = await readFunnel(read, { ...shape, domain: 'shop.example' }, query)
      const expected = recountFunnel(world, funnel, filters, period, followMs, services)
      const periodBefore = periodOf(world.zone, before.from, before.to)
      const previous = recountFunnel(world, funnel, filters, periodBefore, followMs, services)
      const what = JSON.stringify({ seed, round, funnel, filters, range, zone: stream.zone })
      expect(report.steps.map(withoutName), what).toEqual(expected.steps)
      expect(report.previous!.steps.map(withoutName), what).toEqual(previous.steps)
      if (funnel.dimension) {
        expect(report.values, what).toBe(expected.values)
        const rows = report.rows!.map(row => ({
          value: row.value === '(none)' ? '' : row.value,
          steps: row.steps.map(withoutName),
          previous: row.previous!.steps.map(withoutName),
        }))
        expect(rows, what).toEqual(
          expected.rows.map(row => ({ ...row, previous: previous.ofValue(row.value) })),
        )
      }
      const reached = expected.steps.filter(({ count }) => count > 0).length
      longest[funnel.order] = Math.max(longest[funnel.order], reached)
    }
  }
  if (hasUsualCases) expect(Math.min(longest.loose, longest.strict)).toBeGreaterThan(2)
})

const withoutName = ({ name: _name, ...numbers }: { name: string }) => numbers
