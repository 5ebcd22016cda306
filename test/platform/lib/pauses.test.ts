import { expect, test } from 'vitest'
import { readCsv } from '../../../src/outgoing/transfer/read/csv.ts'
import { readJsonLines } from '../../../src/outgoing/transfer/read/json-lines.ts'
import { readJsonObjects } from '../../../src/outgoing/transfer/read/json-objects.ts'
import { createPauses } from '../../../src/platform/lib/pauses.ts'
import { sweep } from '../../support/runs.ts'

/** Counts how often other work has its turn while `run` runs. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let next: NodeJS.Immediate
  const take = () => {
    turns += 1
    next = setImmediate(take)
  }
  next = setImmediate(take)
  await run()
  clearImmediate(next)
  return turns
}

test('pauses: other work has its turn when the budget is used up, and not before', async () => {
  const loop = (budgetMs: number) => async () => {
    const pause = createPauses(budgetMs)
    for (let item = 0; item < 100; item++) await pause()
  }
  expect(await turnsDuring(loop(0))).toBeGreaterThan(50)
  expect(await turnsDuring(loop(60_000))).toBe(0)
})

test.each(
  sweep([
    ['CSV', readCsv, 'a,b\n', 'one,two\n'],
    ['JSON lines', readJsonLines, '', '{"a":"one","b":"two"}\n'],
    ['JSON objects', readJsonObjects, '', '{"a":"one","b":"two"}\n'],
  ]),
)('pauses: reading %s gives other work its turn, also within one chunk', async (_, read, head, row) => {
  async function* source() {
    yield Buffer.from(head + row.repeat(100_000))
  }
  const turns = await turnsDuring(async () => {
    let rows = 0
    for await (const item of read(source())) if (!item.left) rows += 1
    expect(rows).toBe(100_000)
  })
  expect(turns).toBeGreaterThan(0)
})
