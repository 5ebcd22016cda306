import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSubmitter } from '../../../src/ingestion/edge/committer.ts'
import type { Hit } from '../../../src/ingestion/hit.ts'

/** A submitter before a queue that takes nothing. */
const stuck = () => createSubmitter({ admit: () => new Promise(() => {}), spentRate: () => undefined })

const hitWith = (fields: Partial<Hit>): Hit => ({
  id: randomUUID(),
  at: Date.UTC(2026, 0, 1),
  siteNo: 1,
  siteId: randomUUID(),
  type: 'error',
  visitorId: randomUUID(),
  hostname: 'example.com',
  ...fields,
})

/** How many of so many hits, sent at once, were refused. */
async function refusedOf(count: number, fields: () => Partial<Hit>): Promise<number> {
  const submit = stuck()
  let refused = 0
  for (let index = 0; index < count; index++) {
    submit.add({ hit: hitWith(fields()), partition: index % 4 }).catch(error => {
      expect(error).toMatchObject({ code: 'unavailable', retryAfter: 1 })
      refused += 1
    })
  }
  await Promise.resolve()
  await Promise.resolve()
  return refused
}

test('ten thousand hits of usual size may wait', async () => {
  expect(await refusedOf(10_000, () => ({ url: `/page/${randomUUID()}`, title: 'A page' }))).toBe(0)
})

test('hits as large as they may be are refused before they fill the memory', async () => {
  const stack = 'at f (https://example.com/app.js:1:1)\n'.repeat(500)
  const refused = await refusedOf(5_000, () => ({ error: { message: 'no', stack } }))
  // 64 MiB hold some 1,600 of 19,000 characters.
  expect(refused).toBeGreaterThan(3_000)
  expect(refused).toBeLessThan(3_700)
})

test('properties count as what else a hit carries', async () => {
  const props = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, 'x'.repeat(500)]))
  expect(await refusedOf(2_000, () => ({ props }))).toBeGreaterThan(500)
})
