// @module-tag full
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectReads, type Db } from '../../src/platform/db/connect.ts'
import { testDatabase } from '../support/database.ts'
import { expectSameReads } from '../support/expect-reads.ts'
import { type PlanNode, quadraticLoops } from '../support/nested-loops.ts'
import { ofFile } from '../support/of-file.ts'
import { randomGoals } from '../support/random-goals.ts'
import { randomVisits } from '../support/random-visits.ts'
import type { Filters } from '../support/recount-filters.ts'
import { randomMoney, storeMoney } from '../support/recount-money.ts'
import { replaceGoals } from '../support/stored-visits.ts'
import { storeStream } from './stored-stream.ts'

interface Sent {
  text: string
  parameters: unknown[]
}

let reads: Db
/** Every statement that has a name comment, by its text. */
const sent = new Map<string, Sent>()

const database = ofFile(() => testDatabase({ isMaintained: false }))
beforeAll(async () => {
  reads = connectReads(database.url, {
    max: 4,
    debug: (_connection, text, parameters) => {
      if (/^\s*\/\* [\w-]+ \*\//.test(text)) sent.set(text, { text, parameters })
    },
  })
})
afterAll(() => reads.end())

async function planOf({ text, parameters }: Sent): Promise<PlanNode> {
  const explained = `explain (format json, verbose) ${text}`
  const [row] = await reads.unsafe(explained, parameters as never[])
  return row!['QUERY PLAN'][0].Plan
}

test('reads: no statement compares two lists row by row, even without statistics', async () => {
  const stream = randomVisits(4)
  // The tables are never analysed.
  const { site, world } = await storeStream(database.db, { ...stream, arrivals: stream.timely })
  const money = randomMoney(4, world)
  await storeMoney(database.db, site, money)
  const goals = randomGoals(4, world, 8)
  await replaceGoals(database.db, site, goals)
  const days = world.hits.map(hit => new Date(hit.at).toISOString().slice(0, 10)).sort()
  const [from, to] = [days[0]!, days.at(-1)!]
  const hit = world.hits.find(({ values }) => values.path !== '')!

  const filters: Filters[] = [
    {},
    { path: { is: [hit.values.path] } },
    { prop_key: { contains: ['a'] }, prop_value: { is_not: ['x'] } },
    { country: { is: ['DE', ''] }, visit_count: { is: ['1', '2'] } },
    { path: { contains: ['/'] }, user_id: { is: [''] }, goal: goals },
  ]
  for (const [number, filter] of filters.entries()) {
    const query = { from, to, filters: filter }
    await expectSameReads({ db: database.db, reads, site, world, goals, money, query, number })
  }
  const all = [...sent.values()]
  const quadratic: string[] = []
  for (const statement of all) {
    const loops = quadraticLoops(await planOf(statement))
    if (loops.length > 0)
      quadratic.push(`${statement.text.trim().split('\n')[0]} ${JSON.stringify(loops[0])}`)
  }
  expect(quadratic).toEqual([])
  expect(new Set(all.map(({ text }) => /\/\* ([\w-]+)/.exec(text)![1])).size).toBeGreaterThan(10)
})
