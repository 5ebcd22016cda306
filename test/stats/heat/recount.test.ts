import { expect, test } from 'vitest'
import { ClicksQuery, getClicks } from '../../../src/stats/heat/clicks.ts'
import { getScroll, ScrollQuery } from '../../../src/stats/heat/scroll.ts'
import { compressSettledChunks } from '../../../src/storage/rollups/columnstore.ts'
import { useDatabase } from '../../support/database.ts'
import { randomFilters, randomRange } from '../../support/random-filters.ts'
import { type Random, randomFrom } from '../../support/random-values.ts'
import { randomVisits } from '../../support/random-visits.ts'
import { readServices } from '../../support/read-services.ts'
import type { SentHit } from '../../support/recount.ts'
import type { Filters } from '../../support/recount-filters.ts'
import { recountClicks, recountScroll } from '../../support/recount-heat.ts'
import { hasUsualCases, runs, seeds } from '../../support/runs.ts'
import { replaceGoals } from '../../support/stored-visits.ts'
import { inputOf, storeStream } from '../stored-stream.ts'

const database = useDatabase()

const STREAMS = runs(3)
const READS = runs(9)
const LONG_AFTER = new Date(Date.UTC(2026, 5, 1))
const TARGETS = [undefined, '', 'https://example.org/', 'https://example.org/Ä', '/search']

/** Gives autocaptured hits targets, and some of them no properties. */
function withTargets(random: Random) {
  const known = new Map<string, SentHit>()
  return (hit: SentHit): SentHit => {
    if (!hit.props || !('selector' in hit.props)) return hit
    const url = random.pick(TARGETS)
    const props = url === undefined ? hit.props : { ...hit.props, url }
    const given = known.get(hit.id) ?? { ...hit, props: random.chance(0.1) ? { selector: '' } : props }
    known.set(hit.id, given)
    return given
  }
}

test(`heat: every number equals a recount of the hits (${STREAMS} streams)`, async () => {
  const { db } = database
  const most = { clicks: 0, engaged: 0 }
  for (const seed of seeds(STREAMS)) {
    const stream = randomVisits(seed + 500)
    const targeted = withTargets(randomFrom(seed))
    const arrivals = stream.late.map(batch => batch.map(targeted))
    const hits = stream.hits.map(targeted)
    const { site, world, shape } = await storeStream(db, { zone: stream.zone, hits, arrivals })
    for (let round = 0; round < READS; round++) {
      const number = seed * 1_000 + round
      const random = randomFrom(number + 7)
      if (round === READS - 3) await compressSettledChunks(db, LONG_AFTER)
      const filters: Filters = random.chance(0.6) ? randomFilters(number, world) : {}
      await replaceGoals(db, site, filters.goal ?? [])
      const query = { ...randomRange(number, world), filters }
      const path = random.pick(['/', '/pricing', '/docs/pricing', '/docs/long-read', '/nowhere'])
      const types = random.pick([undefined, ['outbound'], ['button', 'copy', 'form']])
      const read = readServices(db, LONG_AFTER)
      const { from, to } = query
      const what = JSON.stringify({ seed, round, query, types, path, zone: stream.zone })

      const expected = recountClicks(world, query, types)
      const perPage = random.pick([2, 5, 100])
      const asked = { ...inputOf(filters, ClicksQuery), from, to, ...(types && { types: types.join(',') }) }
      for (let page = 1; page <= Math.ceil(expected.length / perPage) + 1; page++) {
        const input = ClicksQuery.parse({ ...asked, page, per_page: perPage })
        const rows = expected.slice((page - 1) * perPage, page * perPage)
        expect(await getClicks(read, shape, input), what).toEqual({ rows, total: expected.length })
      }

      // The parameter takes the place of the filter.
      const { path: _, ...others } = filters
      const input = ScrollQuery.parse({ ...inputOf(others, ScrollQuery), from, to, path })
      const report = await getScroll(read, shape, input)
      const scrolled = recountScroll(world, { ...query, filters: others }, path)
      expect(report, what).toEqual(scrolled)
      most.clicks = Math.max(most.clicks, expected.length)
      most.engaged = Math.max(most.engaged, scrolled.engaged_pageviews)
    }
    // Goals of two streams may have the same id.
    await replaceGoals(db, site, [])
  }
  if (hasUsualCases) expect(Math.min(most.clicks, most.engaged), 'something was compared').toBeGreaterThan(3)
})
