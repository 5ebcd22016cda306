import { expect, test } from 'vitest'
import { type Journeys, JourneysQuery } from '../../../src/stats/journeys/journeys-query.ts'
import { readJourneys } from '../../../src/stats/journeys/read-journeys.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { useDatabase } from '../../support/database.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { randomFrom } from '../../support/random-values.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { readServices } from '../../support/read-services.ts'
import { periodOf } from '../../support/recount-days.ts'
import type { Filters } from '../../support/recount-filters.ts'
import { type RecountedJourneys, recountJourneys, valuesOf } from '../../support/recount-journeys.ts'
import type { World } from '../../support/recount-world.ts'
import { hasUsualCases, runs, seeds } from '../../support/runs.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { inputOf, storeStream } from '../stored-stream.ts'

const database = useDatabase()

const STREAMS = runs(4)
const READS = runs(14)

function randomJourneys(number: number, world: World): RecountedJourneys {
  const random = randomFrom(number)
  const by = random.pick(['path', 'path', 'title', 'event_name'] as const)
  const longest = world.visits.map(visit => valuesOf(visit, by)).sort((a, b) => b.length - a.length)
  const value = random.pick(random.chance(0.6) ? longest[0]! : longest.flat()) ?? '/'
  return {
    by,
    value,
    isBackwards: random.chance(0.5),
    steps: 1 + random.int(8),
    branches: random.pick([1, 2, 3, 20]),
  }
}

test(`journeys: every number equals a recount of the hits (${STREAMS} streams)`, async () => {
  const { db } = database
  let longest = 0
  const kinds = new Set<string>()
  for (const seed of seeds(STREAMS)) {
    const stream = randomVisits(seed + 300)
    const { site, world, shape } = await storeStream(db, { ...stream, arrivals: stream.late })
    for (let round = 0; round < READS; round++) {
      const number = 50_000 + seed * 1_000 + round
      const random = randomFrom(number + 7)
      if (round === READS - 3) await compressSettledChunks(db, new Date(Date.UTC(2026, 5, 1)))
      const filters: Filters = random.chance(0.3) ? randomFilters(number, world) : {}
      await replaceGoals(db, site, filters.goal ?? [])
      const asked = randomJourneys(number, world)
      const days = world.hits.map(({ at }) => new Date(at).toISOString().slice(0, 10)).sort()
      const range = random.chance(0.5) ? { from: days[0]!, to: days.at(-1)! } : randomRange(number, world)
      const query = JourneysQuery.parse({
        ...{ ...inputOf(filters, JourneysQuery), ...range },
        ...{ by: asked.by, steps: asked.steps, branches: asked.branches },
        [asked.isBackwards ? 'ending_at' : 'starting_at']: asked.value,
      })
      const now = new Date(Date.UTC(2026, 5, 1))
      const answer = await readJourneys(readServices(db, now), shape, query)
      const expected = recountJourneys(world, asked, filters, periodOf(world.zone, range.from, range.to))
      const what = JSON.stringify({ seed, round, asked, filters, range, zone: stream.zone })
      expect(named(answer), what).toEqual(expected)
      expectSums(answer, what)
      longest = Math.max(longest, ...answer.steps.map(({ step }) => step))
      for (const { nodes } of answer.steps) for (const { kind } of nodes) kinds.add(kind)
    }
    await replaceGoals(db, site, [])
  }
  if (hasUsualCases) expect(longest).toBeGreaterThan(2)
  if (hasUsualCases) expect([...kinds].sort()).toEqual(['end', 'other', 'value'])
})

/** With names instead of indices. */
function named({ steps }: Journeys) {
  const nameOf = ({ kind, value }: Journeys['steps'][number]['nodes'][number]) =>
    kind === 'value' ? `value ${value}` : kind
  return steps.map(({ step, sessions, nodes, links }, index) => ({
    step,
    sessions,
    nodes: nodes.map(node => ({ name: nameOf(node), sessions: node.sessions })),
    links: links.map(link => ({
      from: nameOf(steps[index - 1]!.nodes[link.from]!),
      to: nameOf(nodes[link.to]!),
      sessions: link.sessions,
    })),
  }))
}

function expectSums({ steps }: Journeys, what: string): void {
  const sum = (rows: { sessions: number }[]) => rows.reduce((total, { sessions }) => total + sessions, 0)
  for (const [index, { nodes, links }] of steps.entries()) {
    if (index === 0) continue
    expect(sum(nodes), what).toBe(steps[index - 1]!.sessions)
    for (const [node, { sessions }] of nodes.entries()) {
      expect(sum(links.filter(({ to }) => to === node)), what).toBe(sessions)
    }
  }
}
