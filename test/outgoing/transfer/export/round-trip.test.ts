import { expect, test } from 'vitest'
import { storeHits } from '../../../../src/ingestion/store/store.ts'
import { testDatabase, useDatabase } from '../../../support/database.ts'
import { expectSameReads } from '../../../support/expect-reads.ts'
import { randomFilters, randomRange } from '../../../support/random-filters.ts'
import { randomGoals } from '../../../support/random-goals.ts'
import { randomVisits } from '../../../support/random-visits.ts'
import { vitalsOf } from '../../../support/random-vitals.ts'
import { recountSessions } from '../../../support/recount.ts'
import { worldOf } from '../../../support/recount-world.ts'
import { rollUpAll } from '../../../support/roll-up.ts'
import { runs, seeds } from '../../../support/runs.ts'
import { createTestSite } from '../../../support/sites.ts'
import { replaceGoals, storeVisits, withoutRepeatedDrops } from '../../../support/stored-visits.ts'
import { exported, imported, LATER, rowsOf } from './support.ts'

const STREAMS = runs(3)
const NO_MONEY = { payments: [], movements: [] } as never

const source = useDatabase(testDatabase)
const target = useDatabase(testDatabase)

/** A site with a random stream of hits, some of them late, and with web vitals. */
async function filledSite(seed: number) {
  const stream = randomVisits(seed)
  const recount = recountSessions(stream.late)
  const site = await createTestSite(source.db, { timezone: stream.zone })
  await storeVisits(source.db, site, withoutRepeatedDrops(stream.late, recount.dropped))
  await storeHits(source.db, 0, vitalsOf(site, stream.hits))
  return { site, stream, world: worldOf(stream.hits, recount, stream.zone) }
}

const wholly = (accepted: number) => ({ accepted, dropped: 0, rejected: [], rejected_total: 0 })
const countLines = (text: Buffer) => text.toString().split('\n').length - 1

test(`export and import: an export in an empty site of another database has every stored value, and gives every number (${STREAMS} streams)`, async () => {
  for (const seed of seeds(STREAMS)) {
    const { site, stream, world } = await filledSite(seed)
    const text = await exported(source.db, site)
    const copy = await createTestSite(target.db, { timezone: stream.zone })
    const result = await imported(target.db, copy, text, { batchHits: 1 + seed * 3 })
    expect({ seed, ...result }).toEqual({ seed, ...wholly(countLines(text)) })
    expect(await rowsOf(target.db, copy)).toEqual(await rowsOf(source.db, site))

    if (seed % 2 === 0) await rollUpAll(target.db, LATER)
    const { goal: _goal, ...filters } = seed % 3 === 0 ? {} : randomFilters(seed, world)
    const goals = randomGoals(seed, world, 4)
    // Goals of the streams before have the same ids.
    await target.db`delete from goals`
    await replaceGoals(target.db, copy, goals)
    const query = { ...randomRange(seed, world), filters }
    const given = { world, goals, money: NO_MONEY, query, number: seed }
    await expectSameReads({ db: target.db, site: copy, ...given })
  }
})

test('export and import: an export that is imported again, or again after a part, changes nothing', {
  tags: ['full'],
}, async () => {
  const { site, stream } = await filledSite(11)
  const text = await exported(source.db, site)
  const lines = text.toString().split('\n')
  const copy = await createTestSite(target.db, { timezone: stream.zone })
  await imported(target.db, copy, `${lines.slice(0, lines.length / 2).join('\n')}\n`, { batchHits: 3 })
  expect(await imported(target.db, copy, text)).toEqual(wholly(countLines(text)))
  const rows = await rowsOf(target.db, copy)
  expect(rows).toEqual(await rowsOf(source.db, site))
  expect(await imported(target.db, copy, text)).toEqual(wholly(countLines(text)))
  expect(await rowsOf(target.db, copy)).toEqual(rows)
  expect(countLines(await exported(target.db, copy))).toBe(countLines(text))
})

test('export and import: exports of parts make the whole, in whatever order they are imported', {
  tags: ['full'],
}, async () => {
  const { site, stream, world } = await filledSite(13)
  const middle = new Date(world.hits[Math.floor(world.hits.length / 2)]!.at)
  const early = await exported(source.db, site, { end: middle })
  const late = await exported(source.db, site, { start: middle })
  for (const parts of [
    [early, late],
    [late, early],
  ]) {
    const copy = await createTestSite(target.db, { timezone: stream.zone })
    for (const part of parts) await imported(target.db, copy, part)
    const [whole, made] = [await rowsOf(source.db, site), await rowsOf(target.db, copy)]
    // Without the first part, engagement of its pageviews is an orphan; then it is imported again.
    for (const part of parts) await imported(target.db, copy, part)
    expect(made.visitors).toEqual(whole.visitors)
    expect(await rowsOf(target.db, copy)).toEqual(whole)
  }
})
